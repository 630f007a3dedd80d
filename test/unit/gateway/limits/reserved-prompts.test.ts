import { afterEach, beforeEach, expect, it } from 'vitest';
import { completionsProtocol } from '../../../../src/gateway/capabilities/completions/completions-protocol.ts';
import { TextCapability } from '../../../../src/gateway/capabilities/text/text-capability.ts';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import type { KeyRecord } from '../../../../src/gateway/keys/key-directory.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const { id, accountId } = key;
const TOOL_BYTES = 100_000;
const tool = { type: 'function', function: { name: 'look', description: 'x'.repeat(TOOL_BYTES) } };
const format = { type: 'json_schema', json_schema: { name: 'shape', schema: { type: 'object' } } };

let provider: FakeProvider;
let gateway: TestGateway | undefined;

beforeEach(async () => {
  provider = await startFakeProvider(completion());
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await provider.close();
});

async function start(members: Partial<KeyRecord>): Promise<TestGateway> {
  await gateway?.close();
  const providers = { perplexity: provider.url };
  return startGateway({ openai: provider.url, providers, key: members });
}

async function post(body: object): Promise<number> {
  const response = await fetch(`${gateway?.url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

const several = (count: number): string[] => Array.from({ length: count }, () => 'a');

it('several prompts reserve as much as each of them alone', () => {
  const capability = new TextCapability(completionsProtocol, { headers: [], query: '' });
  const asked = {
    model: 'openai/gpt-4.1-mini',
    n: 2,
    max_tokens: 7,
    tools: [tool],
    response_format: format,
    web_search_options: {},
  };
  const one = capability.maxUsage(capability.parse({ ...asked, prompt: 'a' }), 100);
  expect(one.inputTokens).toBeGreaterThan(TOOL_BYTES);
  expect(one).toMatchObject({ outputTokens: 14, media: [{ unit: 'search', quantity: 10 }] });
  const request = capability.parse({ ...asked, prompt: several(64) });
  expect(capability.maxUsage(request, 100)).toEqual({
    ...one,
    inputTokens: 64 * one.inputTokens,
    outputTokens: 64 * one.outputTokens,
    media: [{ unit: 'search', quantity: 640 }],
    calls: 64,
  });
  // The body has them once.
  const repeated = Buffer.byteLength(JSON.stringify([tool])) + Buffer.byteLength(JSON.stringify(format));
  expect(capability.repeatedBytes(request)).toBe(63 * repeated);
  expect(capability.repeatedBytes(capability.parse({ ...asked, prompt: 'a' }))).toBe(0);
});

it('several prompts are held to the tokens per minute with the tools of each call', async () => {
  const limits = { ...key.limits, tokensPerMinute: 200_000 };
  gateway = await start({ limits });
  expect(await post({ model: 'openai/gpt-4.1-mini', prompt: several(9), tools: [tool] })).toBe(429);
  expect(provider.requests).toHaveLength(0);
  // Seven times 25,000.
  expect(await post({ model: 'openai/gpt-4.1-mini', prompt: several(7), tools: [tool] })).toBe(200);
});

it.each([
  // A token may be a byte, at 0.4 USD per million.
  ['tools', 'openai/gpt-4.1-mini', { tools: [tool] }, 4n * 40_000_000n],
  // Each call makes a search of 0.012 USD by itself.
  ['searches', 'perplexity/sonar', { max_tokens: 1 }, 4n * 12_000_000n],
])('several prompts reserve the %s of each call from budgets', async (_what, model, members, least) => {
  const budget = (amountNano: bigint): Budget => ({
    id: `key:${id}`,
    subject: 'key',
    accountId,
    amountNano,
    period: 'MONTH',
    timeZone: 'UTC',
  });
  const small = budget(least);
  gateway = await start({ budgets: [small] });
  gateway.limits.open(small);
  expect(await post({ model, prompt: several(4), ...members })).toBe(429);
  expect(provider.requests).toHaveLength(0);
  const large = budget(least * 2n);
  gateway = await start({ budgets: [large] });
  gateway.limits.open(large);
  expect(await post({ model, prompt: several(4), ...members })).toBe(200);
});
