import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const { id, accountId } = key;
/** 150 and 600 USD per million tokens: 1,024 tokens of an answer cost 0.61 USD. */
const model = 'openai/o1-pro';
const dollars = (amount: number): bigint => BigInt(amount * 1e9);

let provider: FakeProvider;
let gateway: TestGateway;
let budget: Budget;

beforeEach(async () => {
  provider = await startFakeProvider(
    completion({ usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }),
  );
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(amountNano: bigint): Promise<OpenAI> {
  budget = { id: `key:${id}`, subject: 'key', accountId, amountNano, period: 'MONTH', timeZone: 'UTC' };
  gateway = await startGateway({ openai: provider.url, key: { budgets: [budget] } });
  gateway.limits.open(budget);
  return new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

const messages = [{ role: 'user' as const, content: 'Hello' }];

async function ask(client: OpenAI, members: object = {}) {
  const request = { model, messages, ...members };
  const { response } = await client.chat.completions.create(request).withResponse();
  return response.headers.get('x-sluice-max-tokens');
}

describe('a request without an output limit at an expensive model', () => {
  it('is admitted where a typical response fits, and its budget is never exceeded', async () => {
    const client = await start(dollars(1));
    let reservedNano = 0n;
    provider.answerWith((request, response) => {
      reservedNano = gateway.limits.state(budget)?.reservedNano ?? 0n;
      return completion()(request, response);
    });
    expect(await ask(client)).toBe('1024');
    expect(provider.requests[0]?.json).toMatchObject({ model: 'o1-pro', max_completion_tokens: 1_024, messages });
    // All that the bounded answer can cost is held while it runs.
    expect(reservedNano).toBeGreaterThanOrEqual(dollars(0.6144));
    expect(reservedNano).toBeLessThanOrEqual(dollars(1));
    await gateway.settledCount(1);
    expect(gateway.limits.state(budget)?.reservedNano).toBe(0n);
  });

  it.each([
    [100, null],
    [25, '32768'],
    [6, '8192'],
    [2, '2048'],
  ])('has a response as long as %d USD cover', async (amount, cap) => {
    const client = await start(dollars(amount));
    expect(await ask(client)).toBe(cap);
    const sent = provider.requests[0]?.json.max_completion_tokens;
    expect(sent).toBe(cap === null ? undefined : Number(cap));
  });

  it('is rejected where no typical response fits, with nothing sent', async () => {
    const client = await start(dollars(0.5));
    await expect(ask(client)).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(provider.requests).toHaveLength(0);
    expect(gateway.limits.state(budget)).toMatchObject({ spentNano: 0n, reservedNano: 0n });
    expect(gateway.limits.view(gateway.key).remainingRequests).toBe(1_000);
  });

  it('keeps the client’s own limit, and is rejected with it', async () => {
    const client = await start(dollars(1));
    await expect(ask(client, { max_completion_tokens: 5_000 })).rejects.toMatchObject({ code: 'insufficient_quota' });
    await expect(ask(client, { max_tokens: 5_000 })).rejects.toMatchObject({ code: 'insufficient_quota' });
    expect(await ask(client, { max_completion_tokens: 100 })).toBeNull();
  });

  it('is billed for each of several choices', async () => {
    const client = await start(dollars(1.5));
    expect(await ask(client, { n: 2 })).toBe('1024');
    await expect(ask(client, { n: 3 })).rejects.toMatchObject({ code: 'insufficient_quota' });
  });

  it('is admitted once of ten concurrent ones', async () => {
    const client = await start(dollars(1));
    const asked = await Promise.allSettled(Array.from({ length: 10 }, () => ask(client)));
    expect(provider.requests.length).toBeGreaterThanOrEqual(1);
    const admitted = asked.filter(({ status }) => status === 'fulfilled').length;
    expect(admitted).toBe(provider.requests.length);
    const spent = gateway.limits.state(budget)?.spentNano ?? 0n;
    expect(spent).toBeLessThanOrEqual(dollars(1));
  });
});
