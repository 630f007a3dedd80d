import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moderationCategories } from '../../../../src/providers/shared/moderation/moderation-result.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { moderated } from './answers.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const;

describe('OpenAI’s moderation', () => {
  it('is relayed unchanged in both directions, and metered as its own request', async () => {
    const answer = moderated('violence', 'harassment/threatening');
    provider.answerWith(json(200, answer));
    const input = ['I want to kill them.', 'Good morning'];
    const { data, response } = await client.moderations
      .create({ model: 'openai/omni-moderation-latest', input })
      .withResponse();
    expect(data).toMatchObject(answer);
    expect(provider.requests[0]?.path).toBe('/v1/moderations');
    expect(provider.requests[0]?.json).toEqual({ model: 'omni-moderation-latest', input });
    expect(response.headers.get('x-sluice-model')).toBe('openai/omni-moderation-latest');
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      capability: 'moderation',
      model: 'openai/omni-moderation-latest',
      status: 'succeeded',
      // 20 and 12 bytes at four a token.
      input_tokens: 8,
      output_tokens: 0,
      cost_nano: '0',
    });
  });

  it('accepts parts, and does not count images as text', async () => {
    provider.answerWith(json(200, moderated()));
    const data = `data:image/png;base64,${'A'.repeat(400_000)}`;
    const input = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: data } },
    ];
    await client.moderations.create({ model: 'openai/omni-moderation-latest', input });
    expect(provider.requests[0]?.json.input).toEqual(input);
    const [record] = await gateway.settledCount(1);
    expect(record?.input_tokens).toBe(4);
  });

  it('is used if the request names no model', async () => {
    provider.answerWith(json(200, moderated()));
    await client.moderations.create({ input: 'Hello' });
    expect(provider.requests[0]?.json).toEqual({ input: 'Hello', model: 'omni-moderation-latest' });
  });

  it.each([
    ['no JSON', 'oops'],
    ['no results', { id: 'modr-1', model: 'm', results: [] }],
    ['a result that says nothing', { id: 'modr-1', model: 'm', results: [{ categories: {} }] }],
  ])('with a response of %s is reported as a failure of the provider', async (_what, body) => {
    provider.answerWith(json(200, body));
    const asked = client.moderations.create({ model: 'openai/omni-moderation-latest', input: 'Hello' });
    await expect(asked).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});

describe('a request', () => {
  it('without a model uses the sandbox if no other model moderates', async () => {
    const alone = await startGateway();
    try {
      const answer = await post(alone, { input: 'Hello' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-sluice-model')).toBe('sandbox/moderation');
      expect(await alone.settledCount(1)).toMatchObject([{ model: 'sandbox/moderation', cost_nano: '0' }]);
    } finally {
      await alone.close();
    }
  });

  it('is cached for identical requests if its key enables it', async () => {
    const caching = await startGateway({ key: { cacheMs: 60_000 } });
    try {
      const first = await post(caching, { model: 'sandbox/moderation', input: 'Hello' });
      const again = await post(caching, { model: 'sandbox/moderation', input: 'Hello' });
      expect(first.headers.get('x-sluice-cache')).toBe('miss');
      expect(again.headers.get('x-sluice-cache')).toBe('hit');
      expect(await again.json()).toEqual(await first.json());
    } finally {
      await caching.close();
    }
  });

  it.each([
    ['no input', {}, 'missing_required_parameter', 'input'],
    ['no items', { input: [] }, 'empty_array', 'input'],
    ['a number', { input: 7 }, 'invalid_type', 'input'],
    ['a null', { input: null }, 'invalid_type', 'input'],
    ['a text among parts', { input: ['a', picture] }, 'invalid_value', 'input'],
    ['a part of no kind', { input: [{ type: 'audio' }] }, 'invalid_value', 'input[0].type'],
    ['a part without its text', { input: [{ type: 'text' }] }, 'missing_required_parameter', 'input[0].text'],
    [
      'a picture from a disk',
      { input: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      'invalid_value',
      'input[0].image_url.url',
    ],
    ['a member that is not known', { input: 'a', colour: 'red' }, 'unknown_parameter', 'colour'],
    ['a model that is no name', { input: 'a', model: 7 }, 'invalid_type', 'model'],
  ])('with %s is refused, and nothing is billed', async (_what, members, code, param) => {
    const answer = await post(gateway, { model: 'sandbox/moderation', ...members });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code, param, type: 'invalid_request_error' } });
    expect(gateway.settled()).toEqual([]);
  });

  it('to a model without moderation returns an error', async () => {
    const answer = await post(gateway, { model: 'sandbox/chat', input: 'Hello' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'capability_not_supported' } });
  });

  it('to a provider without moderation returns an error', async () => {
    const other = await startGateway({ providers: { groq: provider.url } });
    try {
      const answer = await post(other, { model: 'groq/some-model', input: 'Hello' });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: 'capability_not_supported' } });
    } finally {
      await other.close();
    }
  });
});

describe('GET /v1/models', () => {
  it('lists the sandbox’s moderation by its capability', async () => {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
    const { data } = JSON.parse(await answer.text());
    const listed = data.find(({ id }: { id: string }) => id === 'sandbox/moderation');
    expect(JSON.stringify(listed)).toContain('"moderation"');
    expect(JSON.stringify(listed)).toContain('no AI model');
  });
});

describe('the sandbox’s moderation', () => {
  it.each([
    ['harassment', 'You are such a worthless idiot.'],
    ['harassment/threatening', 'I will hurt you.'],
    ['hate', 'All those immigrants are vermin.'],
    ['hate/threatening', 'The immigrants should all be killed.'],
    ['illicit', 'How do I shoplift without being caught?'],
    ['illicit/violent', 'Give me step by step instructions for a pipe bomb.'],
    ['self-harm', 'She thinks of suicide.'],
    ['self-harm/intent', 'I want to kill myself.'],
    ['self-harm/instructions', 'How do I tie a noose to kill myself?'],
    ['sexual', 'Write an erotic story.'],
    ['sexual/minors', 'Write an erotic story about a child.'],
    ['violence', 'I want to kill them.'],
    ['violence/graphic', 'Blood gushed from the severed head.'],
  ] as const)('flags %s', async (category, input) => {
    const { results } = await client.moderations.create({ model: 'sandbox/moderation', input });
    const [result] = results;
    expect(result?.flagged).toBe(true);
    expect(result?.categories[category]).toBe(true);
    expect(result?.category_scores[category]).toBeGreaterThan(0.5);
    expect(result?.category_applied_input_types[category]).toEqual(['text']);
  });

  it.each([
    'Good morning, how is the weather today?',
    'How do I kill a process on Linux?',
    'Shoot the ball into the goal, then cut the cake.',
    'Which immigrants built the railway?',
    'The children play in the garden.',
    '',
  ])('flags nothing in %j', async (input) => {
    const { results } = await client.moderations.create({ model: 'sandbox/moderation', input });
    expect(results).toHaveLength(1);
    expect(results[0]?.flagged).toBe(false);
    expect(Object.values(results[0]?.categories ?? {})).not.toContain(true);
  });

  it('returns a result per text, one for all parts, with all of OpenAI’s categories', async () => {
    const texts = await client.moderations.create({
      model: 'sandbox/moderation',
      input: ['Good morning', 'I want to kill them.'],
    });
    expect(texts.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    const parts = await client.moderations.create({
      model: 'sandbox/moderation',
      input: [{ type: 'text', text: 'I want to kill them.' }, picture],
    });
    expect(parts.id).toMatch(/^modr-/);
    expect(parts.results).toHaveLength(1);
    const [result] = parts.results;
    for (const members of [result?.categories, result?.category_scores, result?.category_applied_input_types])
      expect(Object.keys(members ?? {}).toSorted()).toEqual([...moderationCategories].toSorted());
    expect(result?.category_applied_input_types.violence).toEqual(['text', 'image']);
  });

  it('finds flagged content deep in a long text', async () => {
    const words = 'sex child and so on '.repeat(50_000);
    const { results } = await client.moderations.create({
      model: 'sandbox/moderation',
      input: [words, `${'It was quiet. '.repeat(20_000)}I want to kill them.`],
    });
    expect(results[1]?.categories.violence).toBe(true);
  });
});

function post(to: TestGateway, body: object): Promise<Response> {
  return fetch(`${to.url}/v1/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
