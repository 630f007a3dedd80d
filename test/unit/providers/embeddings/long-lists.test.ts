import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { json, refusal, type ReceivedRequest, type Script } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import { listOf, startWithProvider, vectorsOf, type GatewayWithProvider } from './gateway-with-provider.ts';

let open: GatewayWithProvider | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `text ${at}`);
const numberOf = (text: unknown): number => Number(String(text).replace('text ', ''));

function inputsOf({ json: { input } }: ReceivedRequest): unknown[] {
  return Array.isArray(input) ? input : [input];
}

/** Each text's vector is its number, and each call used one token per text. */
const openAi: Script = async (request, response) => {
  const inputs = inputsOf(request);
  const usage = { prompt_tokens: inputs.length, total_tokens: inputs.length };
  await json(
    200,
    listOf(inputs, (text) => [numberOf(text)], usage),
  )(request, response);
};

/** Responds to the call with the first text last, of as many calls as there are. */
function firstLast(script: Script, asked: (request: ReceivedRequest) => unknown[], calls: number): Script {
  const other = Promise.withResolvers<void>();
  if (calls === 1) other.resolve();
  return async (request, response) => {
    const isFirst = asked(request).includes('text 0');
    if (isFirst) await other.promise;
    await script(request, response);
    if (!isFirst) other.resolve();
  };
}

interface GeminiAsked {
  readonly content: { readonly parts: readonly { readonly text: string }[] };
}

function geminiInputs({ json: { requests } }: ReceivedRequest): string[] {
  const asked: GeminiAsked[] = Array.isArray(requests) ? requests : [];
  return asked.map(({ content }) => content.parts[0]?.text ?? '');
}

const gemini: Script = (request, response) => {
  const texts = geminiInputs(request);
  const usageMetadata = { promptTokenCount: texts.length };
  return json(200, { embeddings: texts.map((text) => ({ values: [numberOf(text)] })), usageMetadata })(
    request,
    response,
  );
};

describe('a long list', () => {
  it.each([
    ['gemini', gemini, geminiInputs, 250, [100, 100, 50]],
    ['voyage', openAi, inputsOf, 2_048, [1_000, 1_000, 48]],
    ['alibaba', openAi, inputsOf, 25, [10, 10, 5]],
    ['zai', openAi, inputsOf, 130, [64, 64, 2]],
    ['mistral', openAi, inputsOf, 300, [128, 128, 44]],
    ['deepinfra', openAi, inputsOf, 2_048, [1_024, 1_024]],
    ['openai', openAi, inputsOf, 2_048, [2_048]],
    ['jina', openAi, inputsOf, 2_048, [2_048]],
  ] as const)('goes to %s in as many calls as it takes, and comes back in order', async (...row) => {
    const [provider, script, asked, count, sizes] = row;
    open = await startWithProvider(provider, firstLast(script, asked, sizes.length));
    const result = await open.post('/embeddings', { model: `${provider}/some-model`, input: numbered(count) });
    expect(result.status).toBe(200);
    expect(open.upstream.requests.map((request) => asked(request).length).sort((a, b) => b - a)).toEqual(sizes);
    expect(vectorsOf(result).map(([value]) => value)).toEqual(numbered(count).map(numberOf));
    expect(result.json.data?.map(({ index }) => index)).toEqual(numbered(count).map(numberOf));
    expect(result.json.usage).toEqual({ prompt_tokens: count, total_tokens: count });
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: count, status: 'succeeded' });
    expect(open.gateway.settled()).toHaveLength(1);
  });

  it('is sent to Cohere in calls of 96 inputs', async () => {
    const script: Script = (request, response) => {
      const texts: unknown[] = Array.isArray(request.json.texts) ? request.json.texts : [];
      const embeddings = { float: texts.map((text) => [numberOf(text)]) };
      const meta = { billed_units: { input_tokens: texts.length } };
      return json(200, { id: 'x', texts, embeddings, meta })(request, response);
    };
    open = await startWithProvider('cohere', script);
    const result = await open.post('/embeddings', { model: 'cohere/embed-english-v3.0', input: numbered(200) });
    expect(open.upstream.requests).toHaveLength(3);
    expect(vectorsOf(result).map(([value]) => value)).toEqual(numbered(200).map(numberOf));
    // 200 tokens at 100 nano-USD.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ input_tokens: 200, cost_nano: '20000' });
  });

  it('of long texts is split by their tokens', async () => {
    open = await startWithProvider('openai', openAi);
    // 250,000 bytes are at most 125,000 tokens: two of them per call of 300,000.
    const input = numbered(3).map((text) => text.padEnd(250_000, ' '));
    const result = await open.post('/embeddings', { model: 'openai/some-model', input });
    expect(vectorsOf(result)).toEqual([[0], [1], [2]]);
    expect(open.upstream.requests.map((request) => inputsOf(request).length).sort()).toEqual([1, 2]);
  });

  it('of lists of tokens is split by their total length', async () => {
    const script: Script = (request, response) => {
      const lists = inputsOf(request);
      return json(
        200,
        listOf(lists, (list) => [Array.isArray(list) ? Number(list[0]) : -1], { prompt_tokens: 1 }),
      )(request, response);
    };
    open = await startWithProvider('openai', script);
    const input = Array.from({ length: 160 }, (_, at) => Array<number>(2_000).fill(at));
    const result = await open.post('/embeddings', { model: 'openai/some-model', input });
    expect(vectorsOf(result).map(([value]) => value)).toEqual(input.map(([first]) => first));
    // 150 lists of 2,000 tokens are 300,000.
    expect(open.upstream.requests.map((request) => inputsOf(request).length).sort((a, b) => a - b)).toEqual([10, 150]);
  });

  it('returns the requested encoding, whatever encoding the parts have', async () => {
    open = await startWithProvider('gemini', gemini);
    const asked = { model: 'gemini/some-model', input: numbered(150), encoding_format: 'base64' };
    const result = await open.post('/embeddings', asked);
    expect(result.json.data?.every(({ embedding }) => typeof embedding === 'string')).toBe(true);
    expect(vectorsOf(result).map(([value]) => value)).toEqual(numbered(150).map(numberOf));
  });

  it('is sent in at most four concurrent calls', async () => {
    let underWay = 0;
    let most = 0;
    const four = Promise.withResolvers<void>();
    open = await startWithProvider('alibaba', async (request, response) => {
      most = Math.max(most, ++underWay);
      if (underWay === 4) four.resolve();
      await four.promise;
      // A fifth one would have been sent by now.
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      await openAi(request, response);
      underWay--;
    });
    await open.post('/embeddings', { model: 'alibaba/some-model', input: numbered(120) });
    expect(open.upstream.requests).toHaveLength(12);
    expect(most).toBe(4);
  });

  it('fails without a charge when one part fails, and aborts the others', async () => {
    const all = Promise.withResolvers<void>();
    const script: Script = async (request, response) => {
      if (open?.upstream.requests.length === 4) all.resolve();
      if (!geminiInputs(request).includes('text 150')) return;
      // The second part is rejected while the others wait.
      await all.promise;
      await refusal(400, 'text 150 is not allowed')(request, response);
    };
    open = await startWithProvider('gemini', script);
    const result = await open.post('/embeddings', { model: 'gemini/gemini-embedding-001', input: numbered(1_000) });
    expect(result.status).toBe(400);
    expect(result.json.error).toMatchObject({ message: expect.stringContaining('text 150 is not allowed') });
    expect(open.upstream.requests).toHaveLength(4);
    const others = open.upstream.requests.filter((request) => !geminiInputs(request).includes('text 150'));
    await Promise.all(others.map(({ aborted }) => aborted));
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it('is aborted in all parts when the client disconnects', async () => {
    open = await startWithProvider('gemini', () => undefined);
    const leaving = new AbortController();
    const asked = fetch(`${open.gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gemini/gemini-embedding-001', input: numbered(1_000) }),
      signal: leaving.signal,
    });
    await open.upstream.whenRequested(4);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await Promise.all(open.upstream.requests.map(({ aborted }) => aborted));
    const [record] = await open.gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', estimated: true });
    expect(open.upstream.requests).toHaveLength(4);
  });
});

describe('a long response', () => {
  it('with the longest list and the longest vectors is relayed', async () => {
    const vector = `[${Array.from({ length: 3_072 }, (_, at) => (at / 100_000 - 0.012345678).toFixed(9)).join(',')}]`;
    const items = numbered(2_048).map((_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`);
    const usage = '{"prompt_tokens":2048,"total_tokens":2048}';
    const body = `{"object":"list","data":[${items.join(',')}],"model":"m","usage":${usage}}`;
    expect(body.length).toBeGreaterThan(70_000_000);
    open = await startWithProvider('openai', json(200, body));
    const answer = await fetch(`${open.gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/text-embedding-3-large', input: numbered(2_048) }),
    });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBe(body.length);
    // 0.13 USD per million tokens: 130 nano-USD each.
    expect((await open.gateway.settledCount(1))[0]).toMatchObject({ cost_nano: '266240' });
  });
});
