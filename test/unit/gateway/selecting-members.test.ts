import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { chunk, completion, pieces, startFakeProvider, usage, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const errorForm = z.object({
  error: z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }),
});
const refusing: Partial<KeyRecord> = { plan: { ...key.plan, id: 'free', overage: 'refuse' } };

let provider: FakeProvider;
let free: TestGateway;
let bound: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  const { url } = provider;
  const providers = {
    openai: url,
    openrouter: url,
    vllm: url,
    anthropic: url,
    // An account's own key of a provider.
    groq: { baseUrl: url, id: 'groq:of-the-account' },
  };
  free = await startGateway({ providers });
  bound = await startGateway({ providers, key: refusing });
});
beforeEach(() => provider.answerWith(completion()));
afterAll(async () => {
  await Promise.all([free.close(), bound.close()]);
  await provider.close();
});

function post(gateway: TestGateway, path: string, body: object): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function chat(gateway: TestGateway, model: string, members: object = {}): Promise<Response> {
  return post(gateway, '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...members });
}

const selecting: readonly (readonly [string, object])[] = [
  ['models', { models: ['openai/gpt-5.5-pro'] }],
  ['route', { route: 'fallback' }],
  ['provider', { provider: { order: ['azure'] } }],
  ['plugins', { plugins: [{ id: 'web' }] }],
  ['preset', { preset: 'dear' }],
  ['speed', { speed: 'fast' }],
  ['inference_geo', { inference_geo: 'us' }],
  ['generationConfig.routingConfig', { generationConfig: { routingConfig: { autoMode: {} } } }],
  ['enable_search', { enable_search: true }],
  ['service_tier', { service_tier: 'scale' }],
  ['tools[0].model', { tools: [{ type: 'image_generation', model: 'gpt-image-1' }] }],
  [
    'tools[0].parameters.model',
    { tools: [{ type: 'openrouter:advisor', parameters: { model: 'openai/gpt-5.5-pro' } }] },
  ],
];

describe('a member that selects a model or a price', () => {
  it.each(selecting)('%s is rejected by name where spending is limited', async (param, members) => {
    const before = provider.requests.length;
    const answer = await chat(bound, 'openrouter/openai/gpt-4o-mini', members);
    const { error } = errorForm.parse(await answer.json());
    // A tool of an unknown type is rejected for its type.
    if (answer.status === 400) expect(error.param).toMatch(/^tools/);
    else expect([answer.status, error.code, error.param]).toEqual([403, 'member_not_priced', param]);
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    { type: 'code_execution_20250825', name: 'code_execution' },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'image_generation' },
    { type: 'file_search' },
    { type: 'shell', environment: { type: 'container_auto' } },
  ])(
    'of a tool that the provider runs for a fee is rejected by name where spending is limited: $type',
    async (tool) => {
      const message = { model: 'anthropic/claude', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
      const before = provider.requests.length;
      const refused = await post(bound, '/v1/messages', { ...message, tools: [tool] });
      expect(refused.status).toBe(403);
      expect(await refused.text()).toContain('tools[0].type');
      expect(provider.requests.length).toBe(before);
      provider.answerWith(completion());
      await (await post(free, '/v1/messages', { ...message, tools: [tool] })).text();
      expect(provider.requests.at(-1)?.json.tools).toEqual([tool]);
    },
  );

  it('of a tool that the client runs is accepted', async () => {
    const tools = [{ type: 'shell', environment: { type: 'local' } }];
    const message = {
      model: 'anthropic/claude-haiku-4-5',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'Hi' }],
      tools,
    };
    await (await post(bound, '/v1/messages', message)).text();
    expect(provider.requests.at(-1)?.json.tools).toEqual(tools);
  });

  it('is rejected for a key with restricted models, too', async () => {
    const gateway = await startGateway({
      providers: { openrouter: provider.url },
      key: { allowedModels: ['openrouter/openai/gpt-4o-mini'] },
    });
    const answer = await chat(gateway, 'openrouter/openai/gpt-4o-mini', { models: ['openai/gpt-5.5-pro'] });
    expect(errorForm.parse(await answer.json()).error).toMatchObject({ code: 'member_not_priced', param: 'models' });
    await gateway.close();
  });

  it('is accepted without limits, at self-hosted servers, and with the account’s own provider key', async () => {
    for (const [gateway, model] of [
      [free, 'openrouter/openai/gpt-4o-mini'],
      [bound, 'vllm/any'],
      [bound, 'groq/openai/gpt-oss-20b'],
    ] as const) {
      const answer = await chat(gateway, model, { models: ['openai/gpt-5.5'], plugins: [{ id: 'web' }] });
      expect([model, answer.status]).toEqual([model, 200]);
      await answer.text();
    }
  });

  it('may have a value that costs no more, or whose price is known', async () => {
    for (const members of [
      { service_tier: 'flex' },
      { service_tier: 'priority' },
      { speed: 'standard' },
      { models: null },
    ]) {
      const answer = await chat(bound, 'openai/gpt-5', members);
      expect([members, answer.status]).toEqual([members, 200]);
      await answer.text();
    }
  });

  it('is free content in the parameters of a function', async () => {
    const parameters = { type: 'object', properties: { model: { type: 'string' } }, model: 'x' };
    const tools = [{ type: 'function', function: { name: 'f', parameters, model: 'y' } }];
    const answer = await chat(bound, 'openai/gpt-4o-mini', { tools });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  });

  it('does not apply to other capabilities', async () => {
    const answer = await post(bound, '/v1/embeddings', {
      model: 'openai/text-embedding-3-small',
      input: 'Hi',
      provider: { order: ['x'] },
    });
    expect(errorForm.parse(await answer.json()).error).toMatchObject({ code: 'unknown_parameter', param: 'provider' });
  });
});

describe('the model that a response reports', () => {
  const tokens = { ...usage, prompt_tokens: 1_000, completion_tokens: 1_000, prompt_tokens_details: {} };
  /** USD per 1,000,000 tokens in and out: gpt-4o-mini 0.15 and 0.60, gpt-4.1 2 and 8. */
  it.each([
    ['gpt-4o-mini', '750000', undefined],
    ['gpt-4o-mini-2024-07-18', '750000', undefined],
    ['nobody-knows-it', '750000', undefined],
    ['gpt-4.1', '10000000', { servedModel: 'gpt-4.1' }],
  ])('%s is priced, and recorded where its price differs', async (model, cost, units) => {
    for (const stream of [false, true]) {
      provider.answerWith(
        stream
          ? pieces(
              [
                chunk({ content: 'Hi' }, null, { model }),
                chunk({}, 'stop', { model }),
                chunk({}, null, { model, choices: [], usage: tokens }),
                'data: [DONE]\n\n',
              ],
              'end',
            )
          : completion({ model, usage: tokens }),
      );
      const before = bound.settled().length;
      const answer = await chat(bound, 'openai/gpt-4o-mini', { stream });
      await answer.text();
      const record = (await bound.settledCount(before + 1)).at(-1);
      expect(record).toMatchObject({ model: 'openai/gpt-4o-mini', cost_nano: cost });
      expect(record?.units).toEqual(units);
      if (units) expect(record?.rates).toMatchObject({ input: '2', output: '8' });
    }
  });

  it('is priced where the requested model has no known price', async () => {
    provider.answerWith(completion({ model: 'gpt-4.1', usage: tokens }));
    const before = free.settled().length;
    await (await chat(free, 'openai/of-tomorrow')).text();
    expect((await free.settledCount(before + 1)).at(-1)).toMatchObject({
      cost_nano: '10000000',
      price_version: expect.stringMatching(/^models\.dev@/),
    });
  });
});
