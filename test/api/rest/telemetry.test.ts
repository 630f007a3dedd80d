import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOtlpReceiver, type OtlpReceiver } from '../../harness/otlp-receiver.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const address = 'marked.person@example.com';

describe('a server with a collector', () => {
  let receiver: OtlpReceiver;
  let server: ServerProcess;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    server = await startServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      SLUICE_STORE_CONTENT: 'full',
      LOG_LEVEL: 'info',
    });
  });

  afterAll(async () => {
    await server.dispose();
    await receiver.close();
  });

  function chat(model: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}`, ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: `Write to ${address}` }] }),
    });
  }

  const attemptOf = (requestId: string | null) => {
    const parent = receiver.spans.find(({ attributes }) => attributes['sluice.request.id'] === requestId);
    return receiver.spans.find(({ kind, parentSpanId }) => kind === 'CLIENT' && parentSpanId === parent?.spanId);
  };

  it('exports the trace of a request, with its messages as content logging stores them', async () => {
    const response = await chat('sandbox/chat');
    expect(response.status).toBe(200);
    await response.text();
    const requestId = response.headers.get('x-request-id');
    await receiver.when(() => attemptOf(requestId) !== undefined);
    const attributes = attemptOf(requestId)?.attributes ?? {};
    expect(attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'sandbox' });
    const [message] = JSON.parse(String(attributes['gen_ai.input.messages'])) as { role: string; parts: object[] }[];
    expect(message).toMatchObject({
      role: 'user',
      parts: [{ type: 'text', content: expect.stringContaining('Write to') }],
    });
    expect(attributes['gen_ai.output.messages']).toMatch(/"role":"assistant"/);
  });

  it('exports no messages of a request that asks not to be logged', async () => {
    const response = await chat('sandbox/chat', { 'x-sluice-log': 'metadata' });
    await response.text();
    const requestId = response.headers.get('x-request-id');
    await receiver.when(() => attemptOf(requestId) !== undefined);
    expect(Object.keys(attemptOf(requestId)?.attributes ?? {}).filter((name) => name.includes('messages'))).toEqual([]);
  });

  it('has spans of GraphQL requests, by their path alone', async () => {
    await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ markedName: __typename }' }),
    });
    await receiver.when(() => receiver.spans.some(({ name }) => name === 'POST /graphql'));
    expect(receiver.text).not.toContain('markedName');
  });

  it('exports its metrics while it runs', async () => {
    await receiver.when(() => (receiver.metrics.get('sluice_process_uptime_seconds')?.[0]?.value ?? 0) > 0);
    await receiver.when(() => (receiver.metrics.get('sluice_requests_total')?.[0]?.value ?? 0) > 0);
  });

  it('exports what is left, and its log, when it stops', async () => {
    const response = await chat('sandbox/chat');
    await response.text();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(attemptOf(response.headers.get('x-request-id'))).toBeDefined();
    expect(receiver.logs.length).toBeGreaterThan(0);
    expect(receiver.logs[0]).toMatchObject({
      severityText: expect.stringMatching(/INFO|WARN/),
      body: expect.any(String),
    });
  });

  it('has told the collector no secret', () => {
    expect(receiver.text).not.toContain(server.apiKey);
    expect(receiver.text).not.toContain(server.password);
    expect(receiver.text).not.toContain(server.email);
  });
});
