import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import { completion, json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const { id, accountId } = key;
const SAMPLES_PER_SECOND = 8_000;

let provider: FakeProvider;
let gateway: TestGateway;
let budget: Budget;

beforeEach(async () => {
  provider = await startFakeProvider(completion());
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(amountNano: bigint): Promise<void> {
  budget = { id: `key:${id}`, subject: 'key', accountId, amountNano, period: 'MONTH', timeZone: 'UTC' };
  const providers = { perplexity: provider.url, groq: provider.url };
  gateway = await startGateway({ providers, key: { budgets: [budget] } });
  gateway.limits.open(budget);
}

async function post(path: string, body: string | FormData): Promise<number> {
  const isForm = typeof body !== 'string';
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body,
  });
  await response.text();
  return response.status;
}

const chat = (model: string) =>
  post('chat/completions', JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }));

function transcribe(seconds: number): Promise<number> {
  const samples = Buffer.alloc(seconds * SAMPLES_PER_SECOND);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  const form = new FormData();
  form.set('model', 'groq/whisper-large-v3');
  form.set('file', new File([head, samples], 'speech.wav', { type: 'audio/wav' }));
  return post('audio/transcriptions', form);
}

describe('a budget', () => {
  it.each([
    // 0.012 USD for a search that reads much
    ['perplexity/sonar', 12_000_000n],
    // 30 searches of 0.005 USD
    ['perplexity/sonar-deep-research', 150_000_000n],
  ])('reserves the fees of searches that %s makes by itself', async (model, fees) => {
    await start(fees);
    // There is no room for the tokens beside them.
    expect(await chat(model)).toBe(429);
    expect(provider.requests).toHaveLength(0);
    await gateway.close();
    await start(fees * 2n);
    expect(await chat(model)).toBe(200);
  });

  it('reserves and bills the minimum seconds of a provider', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    await start(308_332n);
    expect(await transcribe(1)).toBe(429);
    expect(provider.requests).toHaveLength(0);
    await gateway.close();
    await start(308_333n);
    expect(await transcribe(1)).toBe(200);
    expect(await gateway.settledCount(1)).toMatchObject([{ cost_nano: '308333' }]);
  });
});
