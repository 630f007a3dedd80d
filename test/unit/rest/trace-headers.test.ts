import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeProvider(completion());
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const hello = { model: 'sandbox/chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

/** The trace members in the last record of the requests made by `run`. */
async function traceOf(run: () => Promise<unknown>): Promise<object> {
  const before = gateway.settled().length;
  await run();
  const record = (await gateway.settledCount(before + 1)).at(-1);
  return Object.fromEntries(
    Object.entries(record ?? {}).filter(([name]) => ['session_id', 'parent_id', 'trace_id'].includes(name)),
  );
}

function chat(headers: Record<string, string>, metadata: Record<string, string> | null = null): Promise<object> {
  return traceOf(() => client.chat.completions.create({ ...hello, ...(metadata && { metadata }) }, { headers }));
}

describe('sessions and traces', () => {
  it('are absent from the record without headers', async () => {
    expect(await chat({})).toEqual({});
    expect(await chat({}, { team: 'search' })).toEqual({});
  });

  it('are recorded from the headers', async () => {
    expect(
      await chat({
        'x-sluice-session-id': 'run "7" of 9',
        'x-sluice-parent-id': 'req_0198f1c0a1b27c3d8e4f5a6b7c8d9e0f',
        traceparent: `00-${traceId}-${spanId}-01`,
      }),
    ).toEqual({
      session_id: 'run "7" of 9',
      parent_id: 'req_0198f1c0a1b27c3d8e4f5a6b7c8d9e0f',
      trace_id: traceId,
    });
    expect(await chat({ 'x-sluice-parent-id': 'planning' })).toEqual({ parent_id: 'planning' });
  });

  it('are recorded for every protocol and capability', async () => {
    const headers = { 'x-sluice-session-id': 's-1' };
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 0 });
    const calls: Record<string, () => Promise<unknown>> = {
      messages: () => anthropic.messages.create({ ...hello, max_tokens: 8 }, { headers }),
      embeddings: () => client.embeddings.create({ model: 'sandbox/embedding', input: 'a' }, { headers }),
      images: () => client.images.generate({ model: 'sandbox/image', prompt: 'a', size: '256x256' }, { headers }),
    };
    for (const [name, call] of Object.entries(calls))
      expect([name, await traceOf(call)]).toEqual([name, { session_id: 's-1' }]);
  });

  it('are read from the metadata of a chat where no header names them', async () => {
    const metadata = { session_id: 'from-metadata', parent_id: 'step 1' };
    expect(await chat({}, metadata)).toEqual(metadata);
    expect(await chat({ 'x-sluice-session-id': 'from-header' }, metadata)).toEqual({
      session_id: 'from-header',
      parent_id: 'step 1',
    });
    expect(await chat({}, { session_id: 'née', parent_id: 'x'.repeat(257) })).toEqual({});
  });

  it.each(['session-id', 'x-claude-code-session-id', 'x-session-affinity'])(
    'use the %s of an agent as the session unless x-sluice-session-id names another',
    async (header) => {
      expect(await chat({ [header]: 'of-agent' })).toEqual({ session_id: 'of-agent' });
      expect(await chat({ [header]: 'of-agent', 'x-sluice-session-id': 'mine' })).toEqual({ session_id: 'mine' });
      // Another program's header: one that cannot be recorded is no reason to refuse the request.
      expect(await chat({ [header]: 'n\u{e9}e' })).toEqual({});
    },
  );

  it.each([
    ['x-sluice-session-id', 'x'.repeat(257)],
    ['x-sluice-session-id', ''],
    ['x-sluice-session-id', 'n\u{e9}e'],
    ['x-sluice-parent-id', 'a\tb'],
  ])('are refused in the protocol of the client: %s', async (name, value) => {
    const headers = { [name]: value };
    await expect(client.chat.completions.create(hello, { headers })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: name,
      message: expect.stringContaining('1 to 256 printable ASCII characters'),
    });
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret, ...headers },
      body: JSON.stringify({ ...hello, max_tokens: 8 }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it.each([
    ['version 00 with a further field', `00-${traceId}-${spanId}-01-x`],
    ['the invalid version', `ff-${traceId}-${spanId}-01`],
    ['capital digits', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['zeros as trace ID', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['zeros as parent ID', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['a short one', `00-${traceId}`],
    ['two of them', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ])('ignore a malformed traceparent: %s', async (_name, traceparent) => {
    expect(await chat({ traceparent })).toEqual({});
  });

  it('read a traceparent of a later version', async () => {
    expect(await chat({ traceparent: `01-${traceId}-${spanId}-01-later` })).toEqual({ trace_id: traceId });
  });

  it('are recorded for a request that is rejected', async () => {
    const headers = { 'x-sluice-session-id': 'rejected-run' };
    const rejected = client.chat.completions.create({ ...hello, model: 'no/such' }, { headers });
    await expect(rejected).rejects.toMatchObject({ code: 'model_not_found' });
    expect(gateway.rejected().at(-1)).toMatchObject({ session_id: 'rejected-run', error_code: 'model_not_found' });
  });
});
