import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { completion, refusal, startFakeProvider, stream, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let clock: FakeClock;

async function start(options: GatewayOptions = {}): Promise<void> {
  gateway = await startGateway({ openai: provider.url, clock, ...options });
}

beforeEach(async () => {
  clock = new FakeClock();
  provider = await startFakeProvider();
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const kept = { headers: { 'x-sluice-cache': 'ttl=60' } };
const hello = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user' as const, content: 'Hello' }] };

function client(): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

async function ask(
  body: Record<string, unknown> = {},
  headers: Record<string, string> = kept.headers,
): Promise<{ cache: string | null; cost: string | null; text: string }> {
  const { data, response } = await client()
    .chat.completions.create({ ...hello, ...body }, { headers })
    .withResponse();
  const text = data.choices[0]?.message.content ?? '';
  return { cache: response.headers.get('x-sluice-cache'), cost: response.headers.get('x-sluice-cost'), text };
}

async function askStream(
  body: Record<string, unknown> = {},
): Promise<{ cache: string | null; texts: string[]; cost: unknown }> {
  const asked = client().chat.completions.create({ ...hello, stream: true, ...body }, kept);
  const { data, response } = await asked.withResponse();
  const texts: string[] = [];
  let cost: unknown;
  for await (const chunk of data) {
    const text = chunk.choices[0]?.delta.content;
    if (text) texts.push(text);
    if (chunk.usage && 'cost' in chunk.usage) cost = chunk.usage.cost;
  }
  return { cache: response.headers.get('x-sluice-cache'), texts, cost };
}

describe('the response cache', () => {
  it('serves an equivalent request, free and marked', async () => {
    await start();
    expect(await ask()).toMatchObject({ cache: 'miss', text: 'Hello from the provider' });
    expect(await ask({ user: 'another', temperature: null })).toEqual({
      cache: 'hit',
      cost: '0',
      text: 'Hello from the provider',
    });
    expect(provider.requests).toHaveLength(1);
    const [paid, free] = await gateway.settledCount(2);
    expect(Number(paid?.cost_nano)).toBeGreaterThan(0);
    expect(free).toMatchObject({
      status: 'succeeded',
      cost_nano: '0',
      cache_savings_nano: paid?.cost_nano,
      price_version: 'cached',
      model: paid?.model,
      output_tokens: paid?.output_tokens,
    });
    expect(free?.attempts).toMatchObject([{ provider: 'cache' }]);
  });

  it('is not used unless the request, the key or the route enables it', async () => {
    await start();
    expect((await ask({}, {})).cache).toBeNull();
    expect((await ask({}, {})).cache).toBeNull();
    expect(provider.requests).toHaveLength(2);
  });

  it('is used for a key that enables it, unless the request disables it', async () => {
    await start({ key: { cacheMs: 60_000 } });
    expect((await ask({}, {})).cache).toBe('miss');
    expect((await ask({}, {})).cache).toBe('hit');
    expect((await ask({}, { 'x-sluice-cache': 'off' })).cache).toBeNull();
    expect(provider.requests).toHaveLength(2);
  });

  it('is used for a route that enables it', async () => {
    await start({ config: 'routes: { kept: { targets: [openai/gpt-4.1-mini], cache: 60 } }' });
    expect((await ask({ model: 'kept' }, {})).cache).toBe('miss');
    expect((await ask({ model: 'kept' }, {})).cache).toBe('hit');
  });

  it('replays a stream as a stream, with or without usage', async () => {
    provider.answerWith(stream(['one ', 'two ', 'three']));
    await start();
    expect(await askStream()).toEqual({ cache: 'miss', texts: ['one ', 'two ', 'three'], cost: undefined });
    expect(await askStream()).toEqual({ cache: 'hit', texts: ['one ', 'two ', 'three'], cost: undefined });
    expect(await askStream({ stream_options: { include_usage: true } })).toEqual({
      cache: 'hit',
      texts: ['one ', 'two ', 'three'],
      cost: 0,
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('separates streamed and unstreamed responses', async () => {
    await start();
    await ask();
    provider.answerWith(stream(['streamed']));
    expect((await askStream()).cache).toBe('miss');
  });

  it('expires after the requested time', async () => {
    await start();
    await ask();
    clock.advance(59_999);
    expect((await ask()).cache).toBe('hit');
    clock.advance(1);
    expect((await ask()).cache).toBe('miss');
  });

  it('stores no errors', async () => {
    provider.answerWith(refusal(400, 'bad'));
    await start();
    await expect(ask()).rejects.toThrow();
    provider.answerWith(completion());
    expect((await ask()).cache).toBe('miss');
  });

  it.each(['ttl=soon', 'yes', 'ttl=-1', 'ttl=99999999999', ''])('rejects the header %j', async (header) => {
    await start();
    await expect(ask({}, { 'x-sluice-cache': header })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'x-sluice-cache',
    });
  });
});
