import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completion, refusal, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret } from '../../harness/gateway.ts';
import { startTracedGateway, type TracedGateway } from '../../harness/traced-gateway.ts';

let provider: FakeProvider;
let traced: TracedGateway;

beforeEach(async () => {
  provider = await startFakeProvider(completion());
});

afterEach(async () => {
  await traced.close();
  await provider.close();
});

async function start(variables: Record<string, string> = {}): Promise<OpenAI> {
  traced = await startTracedGateway({ openai: provider.url }, variables);
  return new OpenAI({ apiKey: secret, baseURL: `${traced.gateway.url}/v1`, maxRetries: 0 });
}

const chat = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user' as const, content: 'Hello' }] };
const operation = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4.1-mini',
};

describe('exported metrics', () => {
  it.each(['http/protobuf', 'http/json'])('are those of the conventions and of /metrics, by %s', async (protocol) => {
    const client = await start({ OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_TRACES_SAMPLER: 'always_off' });
    await client.chat.completions.create(chat);
    await client.chat.completions.create(chat);
    await traced.finish();
    const { metrics } = traced.receiver;
    expect(metrics.get('gen_ai.client.token.usage')).toEqual([
      expect.objectContaining({ attributes: { ...operation, 'gen_ai.token.type': 'input' }, count: 2, sum: 24 }),
      expect.objectContaining({ attributes: { ...operation, 'gen_ai.token.type': 'output' }, count: 2, sum: 10 }),
    ]);
    expect(metrics.get('gen_ai.client.operation.duration')).toEqual([
      expect.objectContaining({ attributes: operation, count: 2 }),
    ]);
    expect(metrics.get('http.server.request.duration')).toEqual([
      expect.objectContaining({
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/v1/chat/completions',
          'http.response.status_code': 200,
          'url.scheme': 'http',
        },
        count: 2,
      }),
    ]);
    expect(metrics.get('sluice_requests_total')).toEqual([
      expect.objectContaining({ attributes: { capability: 'chat', status: '2xx' }, value: 2 }),
    ]);
    expect(metrics.get('sluice_request_duration_seconds')).toEqual([
      expect.objectContaining({ attributes: { capability: 'chat' }, count: 2 }),
    ]);
    expect(traced.receiver.spans).toEqual([]);
  });

  it('have the type of an error', async () => {
    const client = await start();
    provider.answerWith(refusal(500, 'broken'));
    await client.chat.completions.create(chat).catch(() => undefined);
    await traced.finish();
    const [request] = traced.receiver.metrics.get('http.server.request.duration') ?? [];
    expect(request?.attributes).toMatchObject({ 'http.response.status_code': 502, 'error.type': '502' });
  });

  it('do not contain the path of an unknown URL', async () => {
    await start();
    await fetch(`${traced.gateway.url}/v1/unknown-marked-path`, { headers: { authorization: `Bearer ${secret}` } });
    await traced.finish();
    const [request] = traced.receiver.metrics.get('http.server.request.duration') ?? [];
    expect(request?.attributes).toMatchObject({ 'http.response.status_code': 404 });
    expect(traced.receiver.text).not.toContain('unknown-marked-path');
  });
});

describe('exemplars of /metrics', () => {
  const exemplars = async (): Promise<string[][]> => {
    const page = await fetch(`${traced.gateway.url}/metrics`, { headers: { accept: 'application/openmetrics-text' } });
    expect(page.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(page.headers.get('vary')).toMatch(/accept/i);
    return [
      ...(await page.text()).matchAll(/^(\w+)\{capability="chat".* # \{trace_id="(\w+)",span_id="(\w+)"\}/gm),
    ].map((found) => found.slice(1));
  };

  it('name the server span of a sampled request', async () => {
    const client = await start();
    await client.chat.completions.create(chat);
    const found = await exemplars();
    const server = (await traced.finish()).find(({ kind }) => kind === 'SERVER');
    expect(found).toEqual([['sluice_request_duration_seconds_bucket', server?.traceId, server?.spanId]]);
  });

  it('are none of requests that are not sampled', async () => {
    const client = await start({ OTEL_TRACES_SAMPLER: 'always_off' });
    await client.chat.completions.create(chat);
    expect(await exemplars()).toEqual([]);
  });
});
