import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { moderationCategories } from '../../../../src/providers/shared/moderation/moderation-result.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** In the format of `mistral-moderation-2411`, as documented. */
const older = JSON.parse(
  readFileSync(new URL('../../../fixtures/services/mistral/mistral-moderation.json', import.meta.url), 'utf8'),
);

const model = 'mistral/mistral-moderation-latest';
let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ providers: { mistral: provider.url } });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

it('maps Mistral’s results to OpenAI’s categories, adds its own, and meters the reported usage', async () => {
  provider.answerWith(json(200, older));
  const answer = await client.moderations.create({ model, input: ['one', 'two'] });
  expect(provider.requests[0]?.path).toBe('/v1/moderations');
  expect(provider.requests[0]?.json).toEqual({ model: 'mistral-moderation-latest', input: ['one', 'two'] });
  expect(answer).toMatchObject({ id: older.id, model: older.model });
  expect(answer.results).toHaveLength(2);
  const [threat, advice] = answer.results;
  expect(threat?.flagged).toBe(true);
  expect(flaggedIn(threat)).toEqual(['violence']);
  expect(threat?.category_scores.violence).toBe(older.results[0].category_scores.violence_and_threats);
  expect(threat?.category_scores['self-harm']).toBe(older.results[0].category_scores.selfharm);
  expect(threat?.category_applied_input_types.violence).toEqual(['text']);
  expect(threat?.category_applied_input_types['sexual/minors']).toEqual([]);
  expect(Object.keys(threat?.categories ?? {})).toEqual(
    expect.arrayContaining([...moderationCategories, 'health', 'financial', 'law', 'pii']),
  );
  // Health advice is not an OpenAI category: it is returned, and does not set `flagged`.
  expect(advice?.flagged).toBe(false);
  expect(flaggedIn(advice)).toEqual(['health']);
  const [record] = await gateway.settledCount(1);
  expect(record).toMatchObject({
    capability: 'moderation',
    model,
    input_tokens: older.usage.prompt_tokens,
    estimated: false,
  });
});

it('maps two of Mistral’s categories to one of OpenAI’s, with the higher score', async () => {
  const categories = { dangerous: false, criminal: true, jailbreaking: true, constructor: false };
  const scores = { dangerous: 0.4, criminal: 0.9, jailbreaking: 0.8 };
  provider.answerWith(json(200, { id: 'x', model: 'm', results: [{ categories, category_scores: scores }] }));
  const { results } = await client.moderations.create({
    model,
    input: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  });
  expect(provider.requests[0]?.json.input).toBe('one\ntwo');
  expect(results[0]?.flagged).toBe(true);
  expect(results[0]?.category_scores.illicit).toBe(0.9);
  expect(flaggedIn(results[0])).toEqual(['illicit', 'jailbreaking']);
});

it('refuses an image with its path', async () => {
  const input = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } },
  ];
  await expect(client.moderations.create({ model, input })).rejects.toMatchObject({
    status: 400,
    code: 'unsupported_value',
    param: 'input[1]',
  });
  expect(provider.requests).toEqual([]);
  for (const record of gateway.settled()) expect(record.cost_nano).toBe('0');
});

it.each([
  ['no JSON', 'oops'],
  ['another document', { object: 'list', data: [] }],
  ['a result of nothing', { results: [7] }],
])('reports a response of %s as a failure of the provider', async (_what, body) => {
  provider.answerWith(json(200, body));
  const asked = client.moderations.create({ model, input: 'Hello' });
  await expect(asked).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
});

function flaggedIn(result: { readonly categories: object } | undefined): string[] {
  return Object.entries(result?.categories ?? {})
    .filter(([, flagged]) => flagged === true)
    .map(([name]) => name);
}
