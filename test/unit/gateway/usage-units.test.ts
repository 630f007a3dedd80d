import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUsd } from '../../../src/catalogue/prices/price.ts';
import { UsageLog } from '../../../src/database/entities/usage-log.entity.ts';
import { toUsageLog } from '../../../src/graphql/usage/usage-log.mapping.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { completion, startFakeProvider, usage, type FakeProvider } from '../../harness/fake-provider.ts';
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

/**
 * Calls a model whose provider reports this usage.
 * @returns the usage record
 */
async function settledWith(model: string, reported: object): Promise<UsageRecord> {
  provider.answerWith(completion({ usage: reported }));
  const count = gateway.settled().length + 1;
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  const record = (await gateway.settledCount(count)).at(-1);
  if (record === undefined) throw new Error('nothing was settled');
  return record;
}

/** The row that the record becomes. */
function rowOf(record: UsageRecord): UsageLog {
  return Object.assign(new UsageLog(), {
    eventId: record.event_id,
    beganAt: new Date(record.began_at),
    apiKeyId: record.api_key_id,
    memberId: record.member_id,
    model: record.model,
    provider: record.provider,
    status: record.status,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    cachedTokens: record.cached_tokens,
    reasoningTokens: record.reasoning_tokens,
    units: record.units,
    costNano: BigInt(record.cost_nano),
    priceVersion: record.price_version,
    rates: record.rates,
    attempts: record.attempts,
  });
}

describe('a settled request', () => {
  it('has no units where only plain tokens were used', async () => {
    expect((await settledWith('openai/gpt-5.5', usage)).units ?? null).toBeNull();
  });

  it('contains cache writes and audio tokens, which explain its cost', async () => {
    const record = await settledWith('openai/gpt-4o-audio-preview', {
      prompt_tokens: 1_000,
      completion_tokens: 500,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 200, audio_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 400 },
    });
    expect(record.units).toEqual({ cacheWriteTokens: 200, audioInputTokens: 300, audioOutputTokens: 400 });
    const log = toUsageLog(rowOf(record));
    expect(log.units).toEqual([
      { unit: 'cache_write_tokens', quantity: '200' },
      { unit: 'audio_input_tokens', quantity: '300' },
      { unit: 'audio_output_tokens', quantity: '400' },
    ]);
    expect(log.explanation.map(({ label, tokens }) => [label, tokens])).toEqual([
      ['input tokens', 400],
      ['cached input tokens', 100],
      ['input tokens written to the cache', 200],
      ['audio input tokens', 300],
      ['output tokens', 100],
      ['audio output tokens', 400],
    ]);
    const sum = log.explanation.reduce((total, { amount }) => total + Math.round(Number(amount.amount) * 1e9), 0);
    expect(String(sum)).toBe(record.cost_nano);
    expect(sum).toBeGreaterThan(0);
  });

  it('contains what the prompt cache saved, as its log explains it', async () => {
    const saving = async (details: object): Promise<string | undefined> => {
      const record = await settledWith('openai/gpt-5.5', { ...usage, prompt_tokens_details: details });
      expect(toUsageLog(rowOf(record)).cacheSavings?.amount ?? '0').toBe(
        formatUsd(BigInt(record.cache_savings_nano ?? 0)),
      );
      return record.cache_savings_nano;
    };
    expect(Number(await saving({ cached_tokens: 1 }))).toBeGreaterThan(0);
    expect(await saving({})).toBeUndefined();
  });

  it('contains image tokens separately, which explain its cost', async () => {
    const record = await settledWith('openai/gpt-5.5', {
      prompt_tokens: 300,
      completion_tokens: 200,
      prompt_tokens_details: { image_tokens: 258 },
      completion_tokens_details: { image_tokens: 150 },
    });
    expect(record.units).toEqual({ imageInputTokens: 258, imageOutputTokens: 150 });
    const log = toUsageLog(rowOf(record));
    expect(log.units).toEqual([
      { unit: 'image_input_tokens', quantity: '258' },
      { unit: 'image_output_tokens', quantity: '150' },
    ]);
    expect(log.explanation.map(({ label, tokens }) => [label, tokens])).toEqual([
      ['input tokens', 42],
      ['image input tokens', 258],
      ['output tokens', 50],
      ['image output tokens', 150],
    ]);
  });

  it('contains one-hour cache writes separately', async () => {
    const record = await settledWith('openai/gpt-5.5', {
      ...usage,
      prompt_tokens_details: { cache_write_tokens: 8, cache_write_1h_tokens: 3 },
    });
    expect(toUsageLog(rowOf(record)).units).toEqual([
      { unit: 'cache_write_tokens', quantity: '8' },
      { unit: 'cache_write_1h_tokens', quantity: '3' },
    ]);
  });
});
