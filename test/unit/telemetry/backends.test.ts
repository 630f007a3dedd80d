import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret } from '../../harness/gateway.ts';
import type { ReceivedSpan } from '../../harness/otlp-receiver.ts';
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

async function spansOf(variables: Record<string, string>): Promise<readonly ReceivedSpan[]> {
  traced = await startTracedGateway({ openai: provider.url }, variables);
  const client = new OpenAI({ apiKey: secret, baseURL: `${traced.gateway.url}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const headers = { 'x-sluice-session-id': 'a-session' };
  await client.chat.completions.create({ model: 'openai/gpt-4.1-mini', messages }, { headers });
  return traced.finish();
}

describe('spans', () => {
  // Source: langfuse.com/integrations/native/opentelemetry, "Property mapping".
  it('have what Langfuse reads: model, usage, cost and session', async () => {
    const authorization = 'Basic cGstbGY6c2stbGY=';
    const spans = await spansOf({ OTEL_EXPORTER_OTLP_HEADERS: `Authorization=${encodeURIComponent(authorization)}` });
    const [server, attempt] = ['SERVER', 'CLIENT'].map((kind) => spans.find((span) => span.kind === kind));
    expect(server?.attributes['session.id']).toBe('a-session');
    expect(attempt?.attributes).toMatchObject({
      'gen_ai.request.model': 'gpt-4.1-mini',
      'gen_ai.response.model': 'fake-model',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cost': expect.any(Number),
    });
    expect(Object.keys(attempt?.attributes ?? {}).filter((name) => /^(?:llm|openinference)\./.test(name))).toEqual([]);
    expect(traced.receiver.headers[0]?.authorization).toBe(authorization);
  });

  // Source: arize-ai.github.io/openinference/spec/spans/llm.html.
  it('have what Phoenix reads, where OpenInference is enabled', async () => {
    const spans = await spansOf({ SLUICE_TRACING_OPENINFERENCE: 'on' });
    const [server, attempt] = ['SERVER', 'CLIENT'].map((kind) => spans.find((span) => span.kind === kind));
    expect(server?.attributes['openinference.span.kind']).toBe('CHAIN');
    expect(attempt?.attributes).toMatchObject({
      'openinference.span.kind': 'LLM',
      'llm.system': 'openai',
      'llm.provider': 'openai',
      'llm.model_name': 'fake-model',
      'llm.token_count.prompt': 12,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 17,
      'llm.token_count.prompt_details.cache_read': 4,
      'llm.cost.total': attempt?.attributes['gen_ai.usage.cost'],
    });
  });

  it.each(['http/json', 'http/protobuf'])('are compressed where that is configured, by %s', async (protocol) => {
    const spans = await spansOf({ OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    expect(spans).toHaveLength(2);
    expect(new Set(traced.receiver.headers.map((headers) => headers['content-encoding']))).toEqual(new Set(['gzip']));
  });
});

describe('a collector that fails', () => {
  it('fails no request', async () => {
    traced = await startTracedGateway({ openai: provider.url }, { OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
    traced.receiver.respondWith(400);
    const client = new OpenAI({ apiKey: secret, baseURL: `${traced.gateway.url}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const answer = await client.chat.completions.create({ model: 'openai/gpt-4.1-mini', messages });
    expect(answer.choices).toHaveLength(1);
    expect(await traced.finish()).toEqual([]);
    expect(traced.warnings).toEqual(['spans are not exported and dropped until the collector accepts them']);
  });
});
