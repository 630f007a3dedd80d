import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const errorForm = z.object({
  error: z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }),
});
const refusing: Partial<KeyRecord> = { plan: { ...key.plan, id: 'free', overage: 'refuse' } };
const budget = {
  id: 'account:a',
  subject: 'account',
  accountId: key.accountId,
  amountNano: 1_000_000_000n,
  period: 'TOTAL',
  timeZone: 'UTC',
} as const;

let provider: FakeProvider;
const gateways: TestGateway[] = [];

beforeAll(async () => {
  provider = await startFakeProvider();
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await provider.close();
});

async function gatewayOf(caller: Partial<KeyRecord>, config = ''): Promise<TestGateway> {
  const { url } = provider;
  const providers = { openai: url, gemini: url, vllm: url, mine: url, own: { baseUrl: url, billed: false } };
  const gateway = await startGateway({ providers, key: caller, config });
  gateways.push(gateway);
  return gateway;
}

async function chat(gateway: TestGateway, model: string): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }),
  });
}

describe('a model in another spelling', () => {
  it.each([
    'openai/GPT-4o-mini',
    'openai/gpt-4o-mini/',
    'openai/gpt-4o-mini?x=1',
    'openai/gpt-4o-mini#x',
    'openai/ gpt-4o-mini',
    'openai/gpt-4o-mini\u00a0',
    'openai/gpt%2D4o-mini',
    'openai/gpt%252D4o-mini',
    'openai/ｇpt-4o-mini',
  ])('%s is the same model: it is sent, priced and listed under one name', async (model) => {
    const gateway = await gatewayOf({ ...refusing, allowedModels: ['openai/gpt-4o-mini'] });
    const answer = await chat(gateway, model);
    expect(answer.status, await answer.text()).toBe(200);
    expect(answer.headers.get('x-sluice-model')).toBe('openai/gpt-4o-mini');
    expect(Number(answer.headers.get('x-sluice-cost'))).toBeGreaterThan(0);
    expect(provider.requests.at(-1)?.json).toMatchObject({ model: 'gpt-4o-mini' });
  });

  it('counts against the key’s limits for the model', async () => {
    const limits = { ...key.limits, requestsPerMinute: 1 };
    const models = new Map([['openai/gpt-4o-mini', limits]]);
    const gateway = await gatewayOf({ partLimits: { models, capabilities: new Map() } });
    expect((await chat(gateway, 'openai/gpt-4o-mini')).status).toBe(200);
    expect((await chat(gateway, 'openai/GPT-4O-MINI')).status).toBe(429);
  });

  it('is moderated by the route of its name', async () => {
    const gateway = await gatewayOf(
      {},
      'routes:\n  openai/gpt-4o-mini:\n    targets: [openai/gpt-4.1-mini]\naliases:\n  openai/gpt-4o: sandbox/chat\n',
    );
    for (const [asked, served] of [
      ['openai/gpt-4o-mini', 'openai/gpt-4.1-mini'],
      ['openai/GPT-4o-mini', 'openai/gpt-4.1-mini'],
      ['gpt-4o-mini', 'openai/gpt-4.1-mini'],
      ['openai/gpt-4o', 'sandbox/chat'],
      ['openai/GPT-4o/', 'sandbox/chat'],
    ] as const) {
      const answer = await chat(gateway, asked);
      await answer.text();
      expect([asked, answer.headers.get('x-sluice-model')]).toEqual([asked, served]);
    }
  });

  it('has the fine-tuning price of its base model if it is fine-tuned', async () => {
    const gateway = await gatewayOf(refusing);
    const answer = await chat(gateway, 'openai/ft:gpt-4o-mini-2024-07-18:my-org::7p4lURel');
    expect(answer.status, await answer.text()).toBe(200);
    expect(provider.requests.at(-1)?.json).toMatchObject({ model: 'ft:gpt-4o-mini-2024-07-18:my-org::7p4lURel' });
    const base = await chat(gateway, 'openai/gpt-4o-mini');
    await base.text();
    expect(Number(answer.headers.get('x-sluice-cost'))).toBe(2 * Number(base.headers.get('x-sluice-cost')));
  });
});

describe('a model without a known price', () => {
  it.each([
    ['a plan without overage', refusing],
    ['a budget', { budgets: [budget] }],
  ])('is rejected under %s, with the configuration that sets a price', async (_what, caller) => {
    const gateway = await gatewayOf(caller);
    for (const model of ['openai/of-tomorrow', 'openai/ft:of-tomorrow:org::1', 'mine/any', 'gemini/tunedModels/x']) {
      const before = provider.requests.length;
      const answer = await chat(gateway, model);
      expect(answer.status).toBe(403);
      const { error } = errorForm.parse(await answer.json());
      expect(error).toMatchObject({ code: 'model_not_priced', param: 'model' });
      expect(error.message).toContain(`models: { "${model}": { input: "2.50", output: "10.00" } }`);
      expect(provider.requests.length).toBe(before);
    }
  });

  it('runs where spending is not limited', async () => {
    const gateway = await gatewayOf({});
    expect((await chat(gateway, 'openai/of-tomorrow')).status).toBe(200);
  });

  it('is free at a self-hosted server', async () => {
    const gateway = await gatewayOf({ ...refusing, budgets: [budget] });
    for (const model of ['vllm/any', 'own/any', 'sandbox/chat']) {
      const answer = await chat(gateway, model);
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      expect(answer.headers.get('x-sluice-cost')).toBe('0');
    }
    expect((await gateway.settledCount(3)).map(({ price_version: version }) => version)).toEqual([
      'not_billed',
      'not_billed',
      'sandbox',
    ]);
  });

  it('is left out of a route with other targets', async () => {
    const gateway = await gatewayOf(
      refusing,
      'routes:\n  mixed:\n    targets: [openai/of-tomorrow, openai/gpt-4o-mini]\n',
    );
    const answer = await chat(gateway, 'mixed');
    expect(answer.status, await answer.text()).toBe(200);
    expect(answer.headers.get('x-sluice-model')).toBe('openai/gpt-4o-mini');
  });
});
