import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function costOf(model: string): Promise<string | null> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('x-sluice-cost');
}

describe('the cost of a response', () => {
  it('is reported where a price is known, and for the sandbox, which is free', async () => {
    expect(Number(await costOf('openai/gpt-4.1-mini'))).toBeGreaterThan(0);
    expect(await costOf('sandbox/chat')).toBe('0');
    const records = await gateway.settledCount(2);
    expect(records.map(({ price_version: version }) => version)).toEqual([
      expect.stringMatching(/^models\.dev@/),
      'sandbox',
    ]);
  });

  it('is not reported as zero without a known price, and the record is marked', async () => {
    const before = gateway.settled().length;
    expect(await costOf('openai/of-tomorrow')).toBeNull();
    expect((await gateway.settledCount(before + 1)).at(-1)).toMatchObject({
      price_version: 'unpriced',
      rates: null,
      cost_nano: '0',
    });
  });
});
