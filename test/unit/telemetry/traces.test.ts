import { hash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { APIError } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pieces, refusal, startFakeProvider, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, type GatewayOptions } from '../../harness/gateway.ts';
import type { ReceivedSpan } from '../../harness/otlp-receiver.ts';
import { startTracedGateway, type TracedGateway } from '../../harness/traced-gateway.ts';

let provider: FakeProvider;
let second: FakeProvider;
let traced: TracedGateway;

const config = `
routes:
  both:
    targets: [first/model-a, second/model-b]
`;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpanId = '00f067aa0ba902b7';

async function start(variables: Record<string, string> = {}, options: GatewayOptions = {}): Promise<void> {
  const providers = { openai: provider.url, first: provider.url, second: second.url };
  traced = await startTracedGateway({ config, providers, ...options }, variables);
}

beforeEach(async () => {
  provider = await startFakeProvider();
  second = await startFakeProvider();
});

afterEach(async () => {
  await traced.close();
  await provider.close();
  await second.close();
});

function client(): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${traced.gateway.url}/v1`, maxRetries: 0 });
}

const chat = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user' as const, content: 'Hello' }] };

function serverSpan(spans: readonly ReceivedSpan[]): ReceivedSpan {
  const [span, ...others] = spans.filter(({ kind }) => kind === 'SERVER');
  if (span === undefined || others.length > 0) throw new Error('not one server span');
  return span;
}

function attemptsOf(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  return spans.filter(({ kind }) => kind === 'CLIENT').toSorted((a, b) => Number(a.start - b.start));
}

describe('traces', () => {
  it('has a server span for a request, and a client span for its attempt', async () => {
    await start();
    await client().chat.completions.create(chat);
    const spans = await traced.finish();
    const server = serverSpan(spans);
    const [attempt] = attemptsOf(spans);
    expect(spans).toHaveLength(2);
    expect(server).toMatchObject({ name: 'POST /v1/chat/completions', parentSpanId: '', isError: false });
    expect(server.schemaUrl).toBe('https://opentelemetry.io/schemas/1.41.0');
    expect(server.resource).toMatchObject({
      'service.name': 'sluice',
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(server.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'sluice.capability': 'chat',
      'sluice.protocol': 'chat-completions',
      'sluice.provider': 'openai',
      'sluice.model': 'openai/gpt-4.1-mini',
      'sluice.status': 'succeeded',
      'sluice.streamed': false,
      'sluice.attempts': 1,
    });
    expect(attempt).toMatchObject({ name: 'chat gpt-4.1-mini', traceId: server.traceId, parentSpanId: server.spanId });
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4.1-mini',
      'gen_ai.request.stream': false,
      'gen_ai.response.id': 'chatcmpl-fake',
      'gen_ai.response.model': 'fake-model',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 2,
      'http.response.status_code': 200,
    });
    expect(attempt?.attributes['gen_ai.usage.cost']).toBeGreaterThan(0);
    expect(server.start <= (attempt?.start ?? 0n) && (attempt?.end ?? 0n) <= server.end).toBe(true);
  });

  it('has usage and cost on the span of the attempt only, so that nothing counts twice', async () => {
    await start();
    await client().chat.completions.create(chat);
    const { attributes } = serverSpan(await traced.finish());
    expect(Object.keys(attributes).filter((name) => /usage|cost|token/.test(name))).toEqual([
      'sluice.time_to_first_token',
    ]);
  });

  it('has the time to the first token of a streamed response, and what it names', async () => {
    await start();
    provider.answerWith(stream(['Hello', ' there']));
    for await (const _chunk of await client().chat.completions.create({ ...chat, stream: true }));
    const [attempt] = attemptsOf(await traced.finish());
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.id': 'chatcmpl-fake',
      'gen_ai.response.model': 'fake-model',
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
  });

  it('has a span for each attempt of a fallback, and usage on the last', async () => {
    await start();
    provider.answerWith(refusal(500, 'broken'));
    await client().chat.completions.create({ ...chat, model: 'both' });
    const spans = await traced.finish();
    const [failed, served] = attemptsOf(spans);
    expect(serverSpan(spans).attributes).toMatchObject({ 'sluice.attempts': 2, 'sluice.route': 'both' });
    expect(failed).toMatchObject({ name: 'chat model-a', isError: true });
    expect(failed?.attributes).toMatchObject({
      'gen_ai.provider.name': 'first',
      'http.response.status_code': 500,
      'error.type': 'provider_error',
    });
    expect(failed?.attributes).not.toHaveProperty('gen_ai.usage.input_tokens');
    expect(served).toMatchObject({ name: 'chat model-b', isError: false });
    expect(served?.attributes).toMatchObject({ 'gen_ai.provider.name': 'second', 'gen_ai.usage.input_tokens': 12 });
    expect(failed?.spanId).not.toBe(served?.spanId);
  });

  it('marks the spans of a failed request as errors', async () => {
    await start();
    provider.answerWith(refusal(500, 'broken'));
    await expect(client().chat.completions.create(chat)).rejects.toThrow(APIError);
    const spans = await traced.finish();
    const server = serverSpan(spans);
    expect(server.isError).toBe(true);
    expect(server.attributes['error.type']).toBe(server.attributes['sluice.error.code']);
    expect(attemptsOf(spans).map(({ isError }) => isError)).toEqual([true]);
  });

  it('marks the attempt of an interrupted stream, with what it used', async () => {
    await start();
    provider.answerWith(pieces([String(streamHead())], 'cut'));
    const read = async (): Promise<void> => {
      for await (const _chunk of await client().chat.completions.create({ ...chat, stream: true }));
    };
    await expect(read()).rejects.toThrow();
    const [attempt] = attemptsOf(await traced.finish());
    expect(attempt?.isError).toBe(true);
    expect(attempt?.attributes).toMatchObject({
      'error.type': 'provider_stream_cut',
      'sluice.usage.estimated': true,
    });
  });

  it('has a server span alone for a request that is rejected', async () => {
    await start();
    const unknown = client().chat.completions.create({ ...chat, model: 'nobody/nothing' });
    await expect(unknown).rejects.toThrow(APIError);
    const spans = await traced.finish();
    expect(spans).toHaveLength(1);
    // By the conventions, a status of 4xx is no error of the server.
    expect(spans[0]).toMatchObject({
      isError: false,
      attributes: { 'http.response.status_code': 404, 'sluice.error.code': 'model_not_found' },
    });
  });

  it('has a server span for a request with a wrong key', async () => {
    await start();
    const wrong = new OpenAI({ apiKey: 'sk-sluice-wrong', baseURL: `${traced.gateway.url}/v1`, maxRetries: 0 });
    await expect(wrong.chat.completions.create(chat)).rejects.toThrow(APIError);
    const span = serverSpan(await traced.finish());
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 401, 'sluice.error.code': 'invalid_api_key' });
  });

  it('describes a converted response as its provider named it', async () => {
    await start();
    const anthropic = new Anthropic({ apiKey: secret, baseURL: traced.gateway.url, maxRetries: 0 });
    const { model, messages } = chat;
    await anthropic.messages.create({ model, messages, max_tokens: 100 });
    const spans = await traced.finish();
    expect(serverSpan(spans)).toMatchObject({
      name: 'POST /v1/messages',
      attributes: { 'sluice.protocol': 'messages' },
    });
    expect(attemptsOf(spans)[0]?.attributes).toMatchObject({
      'gen_ai.response.id': 'chatcmpl-fake',
      'gen_ai.response.model': 'fake-model',
      'gen_ai.usage.input_tokens': 12,
    });
  });

  it('contains no key, no id of an account and no id of a path', async () => {
    await start();
    const url = `${traced.gateway.url}/v1/files/file-marked-object?key=${secret}`;
    await fetch(url);
    await fetch(`${traced.gateway.url}/v1beta/models/openai%2Fgpt-4.1-mini:generateContent?key=${secret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'marked prompt' }] }] }),
    });
    await client().chat.completions.create({ ...chat, messages: [{ role: 'user', content: 'marked prompt' }] });
    const spans = await traced.finish();
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /v1beta/models/{model}:generateContent', 'POST /v1/chat/completions']),
    );
    const { text } = traced.receiver;
    for (const marked of [
      secret,
      'provider-key',
      key.id,
      key.accountId,
      'file-marked-object',
      'marked prompt',
      'Hello from',
    ])
      expect(text).not.toContain(marked);
  });
});

describe('trace context', () => {
  it('continues the trace of the client, and passes the context of the attempt to the provider', async () => {
    await start();
    const headers = { traceparent: `00-${traceId}-${clientSpanId}-01`, tracestate: 'vendor=value' };
    await client().chat.completions.create(chat, { headers });
    const spans = await traced.finish();
    const [attempt] = attemptsOf(spans);
    expect(serverSpan(spans)).toMatchObject({ traceId, parentSpanId: clientSpanId, traceState: 'vendor=value' });
    expect(provider.requests[0]?.headers).toMatchObject({
      traceparent: `00-${traceId}-${attempt?.spanId}-01`,
      tracestate: 'vendor=value',
    });
  });

  it('passes each attempt its own context', async () => {
    await start();
    provider.answerWith(refusal(500, 'broken'));
    await client().chat.completions.create({ ...chat, model: 'both' });
    const sent = [...provider.requests, ...second.requests].map(
      ({ headers }) => String(headers.traceparent).split('-')[2],
    );
    expect(sent).toEqual(attemptsOf(await traced.finish()).map(({ spanId }) => spanId));
  });

  it('follows the decision of the client that its trace is not sampled, and passes that on', async () => {
    await start();
    await client().chat.completions.create(chat, { headers: { traceparent: `00-${traceId}-${clientSpanId}-00` } });
    expect(provider.requests[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    expect(await traced.finish()).toEqual([]);
  });

  it.each(['garbage', `ff-${traceId}-${clientSpanId}-01`, `00-${'0'.repeat(32)}-${clientSpanId}-01`])(
    'starts a trace where the client sends %s',
    async (traceparent) => {
      await start();
      await client().chat.completions.create(chat, { headers: { traceparent, tracestate: 'vendor=value' } });
      const server = serverSpan(await traced.finish());
      expect(server).toMatchObject({ parentSpanId: '', traceState: '' });
      expect(server.traceId).not.toBe(traceId);
      expect(provider.requests[0]?.headers).not.toHaveProperty('tracestate');
    },
  );

  it('sends a provider no header where nothing is traced', async () => {
    await start({ OTEL_TRACES_EXPORTER: 'none' });
    await client().chat.completions.create(chat, { headers: { traceparent: `00-${traceId}-${clientSpanId}-01` } });
    expect(provider.requests[0]?.headers).not.toHaveProperty('traceparent');
    expect(await traced.finish()).toEqual([]);
  });
});

describe('sampling', () => {
  it('records no spans with a ratio of 0', async () => {
    await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    await client().chat.completions.create(chat, { headers: { traceparent: `00-${traceId}-${clientSpanId}-01` } });
    expect(await traced.finish()).toEqual([]);
  });

  it('decides by the id of the trace', async () => {
    await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' });
    const ids = Array.from({ length: 40 }, (_, at) => hash('sha256', String(at), 'hex').slice(0, 32));
    for (const id of ids)
      await client().chat.completions.create(chat, { headers: { traceparent: `00-${id}-${clientSpanId}-00` } });
    const flags = new Map(
      provider.requests.map(({ headers }) => {
        const [, id = '', , sampled = ''] = String(headers.traceparent).split('-');
        return [id, sampled];
      }),
    );
    const sampled = ids.filter((id) => flags.get(id) === '01');
    expect(sampled.length).toBeGreaterThan(0);
    expect(sampled.length).toBeLessThan(ids.length);
    const recorded = (await traced.finish()).filter(({ kind }) => kind === 'SERVER').map((span) => span.traceId);
    expect(recorded.toSorted()).toEqual(sampled.toSorted());
  });
});

describe('a client that disconnects before its request runs', () => {
  it('has one server span', async () => {
    await start();
    const span = traced.gateway.pipeline.dependencies.telemetry?.startRequest({});
    span?.closed({ method: 'POST', route: '/v1/chat/completions', status: null });
    span?.begin({ requestId: 'request', eventId: 'event', key });
    span?.ended(499, null);
    expect(await traced.finish()).toMatchObject([{ kind: 'SERVER', name: 'POST /v1/chat/completions' }]);
  });
});

function streamHead(): string {
  const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1, model: 'fake-model' };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }] })}\n\n`;
}
