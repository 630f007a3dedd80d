import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import {
  startFakeSocketProvider,
  type FakeSocketProvider,
  type ReceivedMessage,
} from '../../../harness/fake-socket-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { openResponseSocket, responseOf, type ResponseSocket } from '../../../harness/response-socket.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeSocketProvider;
let server: ServerProcess;
const opened: ResponseSocket[] = [];

beforeAll(async () => {
  provider = await startFakeSocketProvider();
  server = await startConfigured(configuration());
});
beforeEach(() => {
  provider.refuseUpgrades(0);
  provider.onMessage(recorded());
});
afterEach(async () => {
  for (const socket of opened.splice(0)) await socket.close();
});
afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function configuration(): string {
  const connection = `base_url: "${provider.url}", api_key: "sk-of-the-operator"`;
  return `
providers:
  talking: { ${connection}, options: { api: responses, websockets: "on" } }
  posting: { ${connection}, options: { api: responses } }
models:
  talking/priced: { input: 1, output: 2 }
`;
}

async function open(apiKey = server.apiKey, headers: Record<string, string> = {}): Promise<ResponseSocket> {
  const socket = await openResponseSocket(server.url, apiKey, { headers });
  opened.push(socket);
  return socket;
}

const recording = readFileSync(
  new URL('../../../fixtures/providers/openai-responses/openai-phase.1.chunks.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line.trim() !== '');
const { id: recordedId } = responseOf([z.looseObject({ type: z.string() }).parse(JSON.parse(recording.at(-1) ?? ''))]);

/** The messages of a recorded response. @param id of the response in place of the recorded one */
function eventsAs(id: string, streamId?: unknown): string[] {
  const named = typeof streamId === 'string' ? `{"stream_id":${JSON.stringify(streamId)},` : '{';
  return recording.map((line) => line.replaceAll(recordedId, id).replace(/^\{/, named));
}

let responses = 0;

function recorded(id?: string): (message: ReceivedMessage) => void {
  return ({ json, socket }) => {
    for (const event of eventsAs(id ?? `resp_upstream_${++responses}`, json.stream_id)) socket.socket.send(event);
  };
}

function refused(status: number, error: object): (message: ReceivedMessage) => void {
  return ({ socket }) => socket.socket.send(JSON.stringify({ type: 'error', status, error }));
}

const turn = { model: 'talking/m', store: false };

describe('a request of a client’s socket, at a provider with WebSockets', () => {
  it('is a message of one socket to the provider, whose events arrive byte for byte', async () => {
    const [before, sent] = [provider.sockets.length, provider.messages.length];
    const socket = await open(server.apiKey, { originator: 'codex', 'openai-beta': 'responses_websockets=2026-02-06' });
    for (const id of ['resp_first_one', 'resp_second_one']) {
      provider.onMessage(recorded(id));
      socket.send({ type: 'response.create', ...turn, input: id, tools: [{ type: 'unknown_tool' }] });
      for (const event of eventsAs(id)) expect(await socket.nextText()).toBe(event);
    }
    expect(provider.sockets).toHaveLength(before + 1);
    expect(provider.sockets.at(-1)).toMatchObject({
      path: '/v1/responses',
      headers: {
        authorization: 'Bearer sk-of-the-operator',
        originator: 'codex',
        'openai-beta': 'responses_websockets=2026-02-06',
      },
    });
    expect(provider.messages[sent]?.json).toEqual({
      type: 'response.create',
      model: 'm',
      store: false,
      input: 'resp_first_one',
      tools: [{ type: 'unknown_tool' }],
    });
  });

  it('passes events with line breaks between their members', async () => {
    const socket = await open();
    const [created, ...others] = eventsAs('resp_pretty').map((line) => JSON.stringify(JSON.parse(line), null, 1));
    provider.onMessage((message) => {
      for (const event of [created, ...others]) message.socket.socket.send(event ?? '');
    });
    socket.send({ type: 'response.create', ...turn, input: 'x' });
    for (const event of [created, ...others]) expect(await socket.nextText()).toBe(event);
  });

  it('continues a response that is not stored, which the provider’s socket holds', async () => {
    const socket = await open();
    provider.onMessage(recorded('resp_held'));
    await socket.turn({ ...turn, input: 'The question' });
    const input = [{ type: 'message', role: 'user', content: 'And then?' }];
    const events = await socket.turn({ ...turn, input, previous_response_id: 'resp_held' });
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(provider.messages.at(-1)?.json).toEqual({
      type: 'response.create',
      model: 'm',
      store: false,
      input,
      previous_response_id: 'resp_held',
    });
  });

  it('shows the provider’s error where a new socket does not hold the response', async () => {
    const socket = await open();
    provider.onMessage(recorded('resp_lost'));
    await socket.turn({ ...turn, input: '1' });
    const held = provider.sockets.at(-1);
    held?.socket.close();
    await held?.closed;
    const error = {
      type: 'invalid_request_error',
      code: 'previous_response_not_found',
      message: 'Previous response with id `resp_lost` not found.',
      param: 'previous_response_id',
    };
    provider.onMessage(refused(400, error));
    const [event, ...others] = await socket.turn({ ...turn, input: '2', previous_response_id: 'resp_lost' });
    expect(others).toEqual([]);
    expectOpenAi('ResponseWsError', event);
    expect(event).toMatchObject({ status: 400, error });
    expect(provider.sockets.at(-1)).not.toBe(held);
    provider.onMessage(recorded());
    expect((await socket.turn({ ...turn, input: 'all' })).at(-1)?.type).toBe('response.completed');
  });

  it('is refused where another connection serves the model of the response that it continues', async () => {
    const socket = await open();
    provider.onMessage(recorded('resp_elsewhere'));
    await socket.turn({ ...turn, input: '1' });
    for (const model of ['posting/m', 'sandbox/chat']) {
      const [event] = await socket.turn({ model, store: false, input: '2', previous_response_id: 'resp_elsewhere' });
      expect(event).toMatchObject({ type: 'error', error: { code: 'previous_response_not_found' } });
    }
  });

  it('cannot continue what another client’s socket holds', async () => {
    provider.onMessage(recorded('resp_of_another'));
    await (await open()).turn({ ...turn, input: '1' });
    const sent = provider.messages.length;
    const [event] = await (await open()).turn({ ...turn, input: '2', previous_response_id: 'resp_of_another' });
    expect(event).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } });
    expect(provider.messages).toHaveLength(sent);
  });

  it('follows a warm-up, with its input', async () => {
    const socket = await open();
    const warm = responseOf(await socket.turn({ ...turn, input: 'Beforehand', generate: false }));
    await socket.turn({ ...turn, input: 'Now', previous_response_id: warm.id });
    const { json } = provider.messages.at(-1) ?? {};
    expect(json?.input).toEqual([
      { type: 'message', role: 'user', content: 'Beforehand' },
      { type: 'message', role: 'user', content: 'Now' },
    ]);
    expect(json).not.toHaveProperty('previous_response_id');
  });

  it('follows warm-ups that continue what the provider’s socket holds', async () => {
    const socket = await open();
    provider.onMessage(recorded('resp_before'));
    await socket.turn({ ...turn, input: 'The question' });
    let previous_response_id = 'resp_before';
    for (const input of ['First', 'Second']) {
      const warmed = await socket.turn({ ...turn, input, generate: false, previous_response_id });
      previous_response_id = responseOf(warmed).id;
    }
    await socket.turn({ ...turn, input: 'Now', previous_response_id });
    expect(provider.messages.at(-1)?.json).toEqual({
      type: 'response.create',
      model: 'm',
      store: false,
      input: ['First', 'Second', 'Now'].map((content) => ({ type: 'message', role: 'user', content })),
      previous_response_id: 'resp_before',
    });
  });

  it('follows a warm-up that continues what the provider stores', async () => {
    provider.onMessage(recorded('resp_stored_there'));
    await (await open()).turn({ model: 'talking/m', input: 'The question' });
    const socket = await open();
    const previous_response_id = 'resp_stored_there';
    const warm = await socket.turn({ ...turn, input: 'Beforehand', generate: false, previous_response_id });
    await socket.turn({ ...turn, input: 'Now', previous_response_id: responseOf(warm).id });
    expect(provider.messages.at(-1)?.json).toMatchObject({
      input: ['Beforehand', 'Now'].map((content) => ({ type: 'message', role: 'user', content })),
      previous_response_id,
    });
  });

  it('is recorded and priced as a request of its own', async () => {
    const socket = await open();
    const usage = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
    provider.onMessage((message) => {
      for (const line of eventsAs('resp_counted')) {
        const event = JSON.parse(line);
        if (event.type === 'response.completed') event.response.usage = usage;
        message.socket.socket.send(JSON.stringify(event));
      }
    });
    await socket.turn({ model: 'talking/priced', input: '1' });
    await socket.turn({ model: 'talking/priced', input: '2', previous_response_id: 'resp_counted' });
    const logged = { inputTokens: 1_000, outputTokens: 500, status: 'SUCCEEDED', cost: { amount: '0.002' } };
    await expect.poll(() => usageOf('talking/priced')).toEqual([logged, logged]);
  });

  it('runs beside those of other streams, each with its own events', async () => {
    const socket = await open();
    const received = provider.messages.length;
    const pending: ReceivedMessage[] = [];
    provider.onMessage((message) => void pending.push(message));
    for (const stream_id of ['a', 'b']) socket.send({ type: 'response.create', ...turn, input: stream_id, stream_id });
    await provider.whenReceived(received + 2);
    expect(new Set(pending.map((message) => message.socket)).size).toBe(1);
    expect(pending.map(({ json }) => json.stream_id)).toEqual(['a', 'b']);
    const [first, second] = [eventsAs('resp_a', 'a'), eventsAs('resp_b', 'b')];
    for (const [index, event] of first.entries())
      for (const text of [event, second[index] ?? '']) pending[0]?.socket.socket.send(text);
    const texts: string[] = [];
    while (texts.length < first.length + second.length) texts.push(await socket.nextText());
    expect(texts.filter((text) => text.startsWith('{"stream_id":"a"'))).toEqual(first);
    expect(texts.filter((text) => text.startsWith('{"stream_id":"b"'))).toEqual(second);
  });

  it('is not sent over a WebSocket where it came over HTTP', async () => {
    const sent = provider.messages.length;
    provider.onPost((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        eventsAs('resp_posted')
          .map((data) => `data: ${data}\n\n`)
          .join(''),
      );
    });
    const response = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'talking/m', input: 'x', stream: true }),
    });
    expect(await response.text()).toContain('resp_posted');
    expect(provider.messages).toHaveLength(sent);
  });
});

describe('a provider’s WebSocket that fails', () => {
  it.each([
    [429, { type: 'tokens', code: 'rate_limit_exceeded', message: 'Slow down.' }],
    [400, { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Too long.', param: 'input' }],
  ])('shows an error event with its status: %i', async (status, error) => {
    const socket = await open();
    provider.onMessage(refused(status, error));
    const events = await socket.turn({ ...turn, input: 'x' });
    expect(events).toHaveLength(1);
    expectOpenAi('ResponseWsError', events[0]);
    expect(events[0]).toMatchObject({ status, error });
  });

  it.each([404, 426])('is replaced by requests over HTTP where it is refused with %i', async (status) => {
    provider.refuseUpgrades(status);
    provider.onPost((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        eventsAs('resp_posted')
          .map((data) => `data: ${data}\n\n`)
          .join(''),
      );
    });
    const socket = await open();
    const first = responseOf(await socket.turn({ ...turn, input: '1' }));
    const events = await socket.turn({ ...turn, input: '2', previous_response_id: first.id });
    expect(events.at(-1)?.type).toBe('response.completed');
    const sent = provider.posted.at(-1);
    expect(sent).toMatchObject({ model: 'm', stream: true, include: ['reasoning.encrypted_content'] });
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent?.input).toHaveLength(2 + first.output.length);
  });

  it('shows the refusal of an upgrade', async () => {
    provider.refuseUpgrades(429, '{"error":{"message":"Too many sockets.","type":"requests","code":"slow_down"}}');
    const events = await (await open()).turn({ ...turn, input: 'x' });
    expect(events).toMatchObject([{ type: 'error', status: 429, error: { code: 'slow_down' } }]);
  });

  it('is opened again for another attempt where it closes before the first event', async () => {
    const socket = await open();
    const sockets = provider.sockets.length;
    let closed = 0;
    provider.onMessage((message) => {
      if (closed++ === 0) message.socket.socket.terminate();
      else recorded('resp_again')(message);
    });
    expect(responseOf(await socket.turn({ ...turn, input: 'x' })).id).toBe('resp_again');
    expect(provider.sockets).toHaveLength(sockets + 2);
  });

  it('is opened again where the provider says that it is too old', async () => {
    const socket = await open();
    let messages = 0;
    provider.onMessage((message) => {
      if (messages++ > 0) return recorded('resp_young')(message);
      return refused(400, { code: 'websocket_connection_limit_reached', message: '60 minutes' })(message);
    });
    expect(responseOf(await socket.turn({ ...turn, input: 'x' })).id).toBe('resp_young');
  });

  it('ends a response that it cuts with an error', async () => {
    const socket = await open();
    provider.onMessage((message) => {
      for (const event of eventsAs('resp_cut').slice(0, -1)) message.socket.socket.send(event);
      message.socket.socket.close();
    });
    const events = await socket.turn({ ...turn, input: 'x' });
    expect(events.length).toBeGreaterThan(3);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider_stream_cut' } });
    provider.onMessage(recorded());
    expect((await socket.turn({ ...turn, input: 'y' })).at(-1)?.type).toBe('response.completed');
  });
});

describe('a provider’s WebSocket', () => {
  it('closes with the client’s, idle or not', async () => {
    const socket = await open();
    await socket.turn({ ...turn, input: 'x' });
    await socket.close();
    await provider.sockets.at(-1)?.closed;

    const busy = await open();
    provider.onMessage(() => undefined);
    const received = provider.messages.length;
    busy.send({ type: 'response.create', ...turn, input: 'x' });
    await provider.whenReceived(received + 1);
    busy.socket.terminate();
    await provider.messages.at(-1)?.socket.closed;
  });

  it('closes when the key is revoked', async () => {
    const { secret, id } = await newKey();
    const socket = await open(secret);
    await socket.turn({ ...turn, input: 'x' });
    await post(
      server.url,
      { query: 'mutation ($id: ID!) { revokeApiKey(id: $id) { __typename } }', variables: { id } },
      { authorization: `Bearer ${server.apiKey}` },
    );
    expect(await socket.closed).toBe(1008);
    await provider.sockets.at(-1)?.closed;
  });

  it('closes after a stop signal, once its running request has ended', async () => {
    const stopping = await startConfigured(configuration());
    try {
      const busy = await openResponseSocket(stopping.url, stopping.apiKey);
      const pending = Promise.withResolvers<ReceivedMessage>();
      provider.onMessage((message) => pending.resolve(message));
      busy.send({ type: 'response.create', ...turn, input: 'x' });
      const message = await pending.promise;
      const ended = stopping.end('SIGTERM');
      recorded('resp_to_the_end')(message);
      expect(responseOf(await busy.turn()).id).toBe('resp_to_the_end');
      expect(await busy.closed).toBe(1001);
      await message.socket.closed;
      expect(await ended).toBe(0);
    } finally {
      await stopping.dispose();
    }
  });
});

async function newKey(): Promise<{ secret: string; id: string }> {
  const query =
    'mutation { createApiKey(input: { name: "of a socket", scopes: [INFERENCE] }) { secret apiKey { id } } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  const { secret, apiKey } = z
    .object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) })
    .parse(data).createApiKey;
  return { secret, id: apiKey.id };
}

async function usageOf(model: string): Promise<unknown> {
  const query =
    'query ($model: String) { usageLogs(first: 5, filter: { model: $model }) { nodes { inputTokens outputTokens status cost { amount } } } }';
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const { data } = await post(server.url, { query, variables: { model } }, headers);
  return z.object({ usageLogs: z.object({ nodes: z.array(z.unknown()) }) }).parse(data).usageLogs.nodes;
}
