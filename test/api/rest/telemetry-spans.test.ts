import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../../harness/otlp-receiver.ts';
import { openResponseSocket } from '../../harness/response-socket.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const clientSpanId = '00f067aa0ba902b7';

describe('spans of work that one HTTP request does not contain', () => {
  let receiver: OtlpReceiver;
  let server: ServerProcess;
  let client: OpenAI;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none' });
    client = new OpenAI({ apiKey: server.apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  });

  afterAll(async () => {
    await server.dispose();
    await receiver.close();
  });

  const spans = (name: string): readonly ReceivedSpan[] => receiver.spans.filter((span) => span.name === name);
  const childrenOf = (parent: ReceivedSpan | undefined): readonly ReceivedSpan[] =>
    receiver.spans.filter((span) => span.parentSpanId === parent?.spanId && span.traceId === parent.traceId);

  it('are children of the span of the request that started a background response', async () => {
    const traceparent = `00-${traceId}-${clientSpanId}-01`;
    const given = { model: 'sandbox/chat', input: 'Hello', background: true } as const;
    await client.responses.create(given, { headers: { traceparent } });
    const run = (): ReceivedSpan | undefined => childrenOf(spans('POST /v1/responses')[0])[0];
    await receiver.when(() => childrenOf(run()).length > 0);
    const [posted] = spans('POST /v1/responses');
    expect(posted).toMatchObject({ kind: 'SERVER', traceId, parentSpanId: clientSpanId });
    expect(run()).toMatchObject({ kind: 'INTERNAL', name: 'request chat', traceId });
    expect(run()?.attributes).toMatchObject({
      'sluice.status': 'succeeded',
      'sluice.request.id': posted?.attributes['sluice.request.id'],
    });
    expect(childrenOf(run())).toEqual([expect.objectContaining({ kind: 'CLIENT', name: 'chat chat' })]);
  });

  it('are linked to the span of their batch, as the request is that created it', async () => {
    const line = (id: number): string =>
      JSON.stringify({
        custom_id: `line-${id}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: 'sandbox/chat', messages: [{ role: 'user', content: `Line ${id}` }] },
      });
    const input = await toFile(Buffer.from(`${line(1)}\n${line(2)}\n`), 'input.jsonl');
    const file = await client.files.create({ file: input, purpose: 'batch' });
    await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const batch = (): ReceivedSpan | undefined => spans('batch /v1/chat/completions')[0];
    const linked = (): readonly ReceivedSpan[] =>
      receiver.spans.filter(({ links }) => links.includes(`${batch()?.traceId} ${batch()?.spanId}`));
    await receiver.when(() => batch() !== undefined && linked().length === 3);
    expect(batch()).toMatchObject({ kind: 'INTERNAL', parentSpanId: '' });
    expect(batch()?.attributes).toMatchObject({ 'sluice.batch.requests': 2, 'sluice.status': 'completed' });
    const names = linked().map(({ kind, name, parentSpanId }) => [kind, name, parentSpanId]);
    expect(names.toSorted()).toEqual([
      ['INTERNAL', 'request chat', ''],
      ['INTERNAL', 'request chat', ''],
      ['SERVER', 'POST /v1/batches', ''],
    ]);
    expect(new Set([...linked(), batch()].map((span) => span?.traceId)).size).toBe(4);
    const [posted] = spans('POST /v1/batches');
    expect((batch()?.start ?? 0n) <= (posted?.end ?? 0n) && (posted?.end ?? 0n) <= (batch()?.end ?? 0n)).toBe(true);
  });

  it('are children of one span for the models of a comparison', async () => {
    const query = 'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }';
    const input = { models: ['sandbox/chat', 'nobody/nothing'], prompt: 'Hello' };
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` },
      body: JSON.stringify({ query, variables: { input } }),
    });
    expect(await response.json()).toMatchObject({ data: { startComparison: { id: expect.any(String) } } });
    const comparison = (): ReceivedSpan | undefined => spans('comparison chat')[0];
    await receiver.when(() => comparison() !== undefined && childrenOf(comparison()).length === 2);
    expect(comparison()).toMatchObject({ kind: 'INTERNAL', parentSpanId: '' });
    expect(comparison()?.attributes).toMatchObject({ 'sluice.comparison.models': 2 });
    const lanes = childrenOf(comparison()).map(({ kind, name, isError }) => [kind, name, isError]);
    expect(lanes.toSorted()).toEqual([
      ['INTERNAL', 'request chat', false],
      ['INTERNAL', 'request', true],
    ]);
    for (const { start } of childrenOf(comparison())) expect(start >= (comparison()?.start ?? 0n)).toBe(true);
  });

  it('are a server span for each response on a WebSocket, in the trace of the client that opened it', async () => {
    const headers = { traceparent: `00-${'a'.repeat(32)}-${clientSpanId}-01` };
    const socket = await openResponseSocket(server.url, server.apiKey, { headers });
    await socket.turn({ model: 'sandbox/chat', input: 'Hello' });
    await socket.turn({ model: 'sandbox/chat', input: 'Again' });
    await socket.turn({ model: 'none/of-these', input: 'Hello' });
    await socket.close();
    const messages = (): readonly ReceivedSpan[] => spans('WEBSOCKET /v1/responses');
    await receiver.when(() => messages().filter((span) => childrenOf(span).length > 0).length === 2);
    await receiver.when(() => messages().length === 3);
    for (const message of messages())
      expect(message).toMatchObject({
        kind: 'SERVER',
        traceId: 'a'.repeat(32),
        parentSpanId: clientSpanId,
        isError: false,
      });
    expect(messages()[0]?.attributes).toMatchObject({
      'http.route': '/v1/responses',
      'network.protocol.name': 'websocket',
      'sluice.status': 'succeeded',
    });
    const errors = messages().flatMap(({ attributes }) => attributes['sluice.error.code'] ?? []);
    expect(errors).toEqual(['model_not_found']);
  });

  it('have no key, and no ID of an account', () => {
    expect(receiver.text).not.toContain(server.apiKey);
    expect(receiver.text).not.toContain(server.email);
  });
});
