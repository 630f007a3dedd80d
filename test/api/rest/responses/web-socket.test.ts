import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { refusal, startFakeProvider, stream, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { openResponseSocket, responseOf, type ResponseSocket } from '../../../harness/response-socket.ts';
import { startServer, type ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;
const opened: ResponseSocket[] = [];

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`
providers:
  relaying: { base_url: "${provider.url}", api_key: "sk-of-the-operator", options: { api: responses } }
  chatting: { base_url: "${provider.url}", api_key: "sk-of-the-operator", options: { api: chat } }
`);
});
afterEach(async () => {
  for (const socket of opened.splice(0)) await socket.close();
});
afterAll(async () => {
  await server.dispose();
  await provider.close();
});

async function open(
  options: Parameters<typeof openResponseSocket>[2] = {},
  apiKey = server.apiKey,
): Promise<ResponseSocket> {
  const socket = await openResponseSocket(server.url, apiKey, options);
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

/** Sends a recorded stream. @param unstoredId of its response, where it is not stored */
function recorded(unstoredId?: string): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const line of recording) {
      const data =
        unstoredId === undefined
          ? line
          : line.replaceAll(recordedId, unstoredId).replaceAll('"store":true', '"store":false');
      response.write(`event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`);
    }
    response.end();
  };
}

const textSchema = z.union([z.string(), z.array(z.object({ text: z.string() })).transform(([part]) => part?.text)]);

/** The texts of the messages of a chat. */
function textsOf(request: unknown): (string | undefined)[] {
  const { messages } = z.object({ messages: z.array(z.object({ content: textSchema })) }).parse(request);
  return messages.map(({ content }) => content);
}

const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

describe('a response over a WebSocket', () => {
  it('is read by OpenAI’s client', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey });
    const socket = new ResponsesWS(client);
    const text: string[] = [];
    const done = new Promise<string>((resolve, reject) => {
      socket.on('response.output_text.delta', ({ delta }) => text.push(delta));
      socket.on('response.completed', ({ response }) => resolve(response.id));
      socket.on('error', reject);
    });
    socket.send({ type: 'response.create', model: 'sandbox/chat', input: 'Say hello to the socket', store: false });
    expect(await done).toMatch(/^resp_/);
    expect(text.join('')).toContain('Say hello to the socket');
    socket.close();
  });

  it('has the events of a streamed response', async () => {
    provider.answerWith(stream(['Hello', ' there']));
    const socket = await open();
    const events = await socket.turn({ model: 'chatting/m', input: 'Hello' });
    for (const event of events) expectOpenAi('ResponseStreamEvent', event);
    expect(typesOf(events)).toContain('response.output_text.delta');
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(provider.requests.at(-1)?.json).not.toHaveProperty('type');
  });

  it('has the bytes of each event of a provider that serves the protocol', async () => {
    provider.answerWith(recorded());
    const socket = await open();
    socket.send({ type: 'response.create', model: 'relaying/m', input: 'Hello' });
    for (const data of recording) expect(await socket.nextText()).toBe(data);
    const { json: sent } = provider.requests.at(-1) ?? {};
    expect(sent).toEqual({ model: 'm', input: 'Hello', stream: true });
  });

  it('is recorded and priced as a request of its own', async () => {
    provider.answerWith(stream(['x']));
    const socket = await open();
    await socket.turn({ model: 'chatting/counted', input: '1' });
    await socket.turn({ model: 'chatting/counted', input: '2' });
    await expect
      .poll(() => usageOf('chatting/counted'))
      .toEqual([
        { inputTokens: 12, outputTokens: 5, status: 'SUCCEEDED', protocol: 'RESPONSES' },
        { inputTokens: 12, outputTokens: 5, status: 'SUCCEEDED', protocol: 'RESPONSES' },
      ]);
  });

  it.each(['/v1/responses/', '/openai/v1/responses', '/openai/responses?api-version=2025-04-01-preview'])(
    'is served at %s',
    async (path) => {
      const socket = await open({ path });
      expect((await socket.turn({ model: 'sandbox/chat', input: 'x' })).at(-1)?.type).toBe('response.completed');
    },
  );
});

describe('a response that is not stored', () => {
  it.each(['chatting', 'relaying'])('is continued from memory: %s', async (name) => {
    provider.answerWith(name === 'chatting' ? stream(['The answer']) : recorded('resp_unstored'));
    const socket = await open();
    const first = responseOf(await socket.turn({ model: `${name}/m`, input: 'The question', store: false }));
    const next = [{ type: 'message', role: 'user', content: 'And then?' }];
    const events = await socket.turn({
      model: `${name}/m`,
      input: next,
      store: false,
      previous_response_id: first.id,
    });
    expect(events.at(-1)?.type).toBe('response.completed');
    const sent = provider.requests.at(-1)?.json ?? {};
    if (name === 'chatting') {
      expect(textsOf(sent)).toEqual(['The question', 'The answer', 'And then?']);
      return;
    }
    expect(sent.input).toEqual([{ type: 'message', role: 'user', content: 'The question' }, ...first.output, ...next]);
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });

  it.each(['chatting', 'relaying'])('is unknown to another socket: %s', async (name) => {
    provider.answerWith(name === 'chatting' ? stream(['x']) : recorded('resp_unstored'));
    const { id } = responseOf(await (await open()).turn({ model: `${name}/m`, input: '1', store: false }));
    const [event, ...others] = await (
      await open()
    ).turn({ model: `${name}/m`, input: '2', store: false, previous_response_id: id });
    expect(others).toEqual([]);
    expectOpenAi('ResponseWsError', event);
    expect(event).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } });
  });

  it('is dropped when the turn after it fails', async () => {
    provider.answerWith(stream(['x']));
    const socket = await open();
    const { id } = responseOf(await socket.turn({ model: 'chatting/m', input: '1', store: false }));
    provider.answerWith(refusal(400, 'no'));
    const next = { model: 'chatting/m', input: '2', store: false, previous_response_id: id };
    expect((await socket.turn(next)).at(-1)).toMatchObject({ type: 'error', status: 400 });
    provider.answerWith(stream(['x']));
    expect((await socket.turn(next)).at(-1)).toMatchObject({ error: { code: 'previous_response_not_found' } });
  });

  it('is prepared by a warm-up, which uses no provider', async () => {
    provider.answerWith(stream(['x']));
    const socket = await open();
    const before = provider.requests.length;
    const warm = await socket.turn({ model: 'chatting/m', input: 'Beforehand', store: false, generate: false });
    for (const event of warm) expectOpenAi('ResponseStreamEvent', event);
    expect(typesOf(warm)).toEqual(['response.created', 'response.in_progress', 'response.completed']);
    expect(provider.requests).toHaveLength(before);
    const { id } = responseOf(warm);
    await socket.turn({ model: 'chatting/m', input: 'Now', store: false, previous_response_id: id });
    expect(textsOf(provider.requests.at(-1)?.json)).toEqual(['Beforehand', 'Now']);
  });
});

describe('a response that is stored', () => {
  it('is continued by a turn that is not, and by the turn after it', async () => {
    provider.answerWith(stream(['Stored']));
    const socket = await open();
    const { id } = responseOf(await socket.turn({ model: 'chatting/m', input: '1' }));
    provider.answerWith(stream(['Not stored']));
    const unstored = { model: 'chatting/m', store: false };
    const next = responseOf(await socket.turn({ ...unstored, input: '2', previous_response_id: id }));
    await socket.turn({ ...unstored, input: '3', previous_response_id: next.id });
    expect(textsOf(provider.requests.at(-1)?.json)).toEqual(['1', 'Stored', '2', 'Not stored', '3']);
  });

  it('is continued by the turn after a warm-up', async () => {
    provider.answerWith(stream(['Stored']));
    const { id } = responseOf(await (await open()).turn({ model: 'chatting/m', input: '1' }));
    const socket = await open();
    const warmUp = { model: 'chatting/m', input: 'Beforehand', generate: false, previous_response_id: id };
    const warm = responseOf(await socket.turn(warmUp));
    await socket.turn({ model: 'chatting/m', input: 'Now', previous_response_id: warm.id });
    expect(textsOf(provider.requests.at(-1)?.json)).toEqual(['1', 'Stored', 'Beforehand', 'Now']);
  });

  it.each(['resp_01900000000070008000000000000000', 'resp_of_a_provider'])(
    'is required by a warm-up that names one: %s',
    async (previous_response_id) => {
      const socket = await open();
      const warmUp = { model: 'chatting/m', input: 'x', generate: false, previous_response_id };
      const [event, ...others] = await socket.turn(warmUp);
      expect(others).toEqual([]);
      expect(event).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } });
    },
  );

  it('is continued by another socket', async () => {
    provider.answerWith(stream(['Stored']));
    const { id } = responseOf(await (await open()).turn({ model: 'chatting/m', input: '1' }));
    const events = await (await open()).turn({ model: 'chatting/m', input: '2', previous_response_id: id });
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(textsOf(provider.requests.at(-1)?.json)).toEqual(['1', 'Stored', '2']);
  });
});

describe('the streams of a socket', () => {
  it('run at the same time, each in its order', async () => {
    const held: (() => void)[] = [];
    const asked: unknown[] = [];
    provider.answerWith((request, response) => {
      const { messages } = request.json;
      asked.push(z.tuple([z.object({ content: z.string() })]).parse(messages)[0].content);
      held.push(() => void stream(['x'])(request, response));
    });
    const socket = await open();
    const before = provider.requests.length;
    for (const [stream_id, input] of [
      ['a', 'a1'],
      ['a', 'a2'],
      ['b', 'b1'],
    ])
      socket.send({ type: 'response.create', model: 'chatting/m', input, store: false, stream_id });
    await provider.whenRequested(before + 2);
    expect(asked.toSorted()).toEqual(['a1', 'b1']);
    for (const answer of held.splice(0)) answer();
    const ends = [...(await socket.turn()), ...(await socket.turn())];
    expect(ends.every((event) => event.stream_id === 'a' || event.stream_id === 'b')).toBe(true);
    await provider.whenRequested(before + 3);
    expect(asked[2]).toBe('a2');
    held[0]?.();
    expect((await socket.turn()).at(-1)).toMatchObject({ type: 'response.completed', stream_id: 'a' });
  });
});

describe('what is refused', () => {
  it.each([
    ['{', { message: expect.stringContaining('JSON') }],
    ['[]', { message: expect.stringContaining('object') }],
    ['{"type":"session.update"}', { param: 'type' }],
    ['{"type":"response.create","stream_id":"ä"}', { param: 'stream_id' }],
    ['{"type":"response.create","background":true}', { param: 'background' }],
    ['{"type":"response.create","generate":1}', { param: 'generate' }],
    ['{"type":"response.create","model":"sandbox/chat","input":[{"type":"message"}]}', { param: 'input[0].role' }],
    ['{"type":"response.create","model":"nobody/nothing","input":"x"}', { code: 'model_not_found' }],
  ])('is told, and the socket goes on: %s', async (message, error) => {
    const socket = await open();
    socket.socket.send(message);
    const event = await socket.next();
    expectOpenAi('ResponseWsError', event);
    expect(event).toMatchObject({ type: 'error', error });
    expect((await socket.turn({ model: 'sandbox/chat', input: 'x' })).at(-1)?.type).toBe('response.completed');
  });

  it.each([
    ['without a key', { authorization: '' }, 401],
    ['with a wrong key', { authorization: 'Bearer sk-sluice-wrong' }, 401],
    ['from a page of another site', { origin: 'https://evil.example' }, 403],
    ['with malformed tags', { 'x-sluice-tags': 'nothing' }, 400],
  ])('is a socket %s', async (_case, headers, status) => {
    await expect(open({ headers })).rejects.toThrow(String(status));
  });

  it('says where a key is obtained, and is counted', async () => {
    const counted = async (): Promise<number> => {
      const page = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^sluice_errors_total\{code="missing_api_key"\} (\d+)$/m.exec(page)?.[1] ?? 0);
    };
    const before = await counted();
    const { hostname, port, origin } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /v1/responses HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toContain('www-authenticate: Bearer');
    expect(answer).toContain(`${origin}/keys`);
    expect(await counted()).toBe(before + 1);
  });

  it('is a socket where WebSocket is disabled', async () => {
    const disabled = await startServer({ SLUICE_RESPONSES_WEBSOCKET: 'off' });
    try {
      await expect(openResponseSocket(disabled.url, disabled.apiKey)).rejects.toThrow('426');
    } finally {
      await disabled.dispose();
    }
  });
});

describe('the end of a socket', () => {
  it('follows the revocation of its key, with its running request', async () => {
    const created = await post(
      server.url,
      {
        query:
          'mutation { createApiKey(input: { name: "of a socket", scopes: [INFERENCE] }) { secret apiKey { id } } }',
      },
      { authorization: `Bearer ${server.apiKey}` },
    );
    const { secret, apiKey } = z
      .object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) })
      .parse(created.data).createApiKey;
    const socket = await open({}, secret);
    provider.answerWith(() => undefined);
    const before = provider.requests.length;
    socket.send({ type: 'response.create', model: 'chatting/m', input: 'x', store: false });
    await provider.whenRequested(before + 1);
    await post(
      server.url,
      { query: 'mutation ($id: ID!) { revokeApiKey(id: $id) { __typename } }', variables: { id: apiKey.id } },
      { authorization: `Bearer ${server.apiKey}` },
    );
    expect(await socket.next()).toMatchObject({ type: 'error', status: 401 });
    expect(await socket.closed).toBe(1008);
    await provider.requests.at(-1)?.aborted;
  });

  it('follows a stop signal, once the running request has ended', async () => {
    const stopping = await startConfigured(
      `providers: { chatting: { base_url: "${provider.url}", api_key: "sk-x", options: { api: chat } } }`,
    );
    try {
      const idle = await openResponseSocket(stopping.url, stopping.apiKey);
      const busy = await openResponseSocket(stopping.url, stopping.apiKey);
      const held = Promise.withResolvers<() => void>();
      provider.answerWith((request, response) => held.resolve(() => void stream(['to the end'])(request, response)));
      busy.send({ type: 'response.create', model: 'chatting/m', input: 'x', store: false });
      const answer = await held.promise;
      const ended = stopping.end('SIGTERM');
      expect(await idle.closed).toBe(1001);
      answer();
      expect((await busy.turn()).at(-1)?.type).toBe('response.completed');
      expect(await busy.closed).toBe(1001);
      expect(await ended).toBe(0);
    } finally {
      await stopping.dispose();
    }
  });

  it('cancels the running request of a client that disconnects', async () => {
    provider.answerWith(() => undefined);
    const socket = await open();
    const before = provider.requests.length;
    socket.send({ type: 'response.create', model: 'chatting/m', input: 'x', store: false });
    await provider.whenRequested(before + 1);
    socket.socket.terminate();
    await provider.requests.at(-1)?.aborted;
  });
});

async function usageOf(model: string): Promise<unknown> {
  const query =
    'query ($model: String) { usageLogs(first: 5, filter: { model: $model }) { nodes { inputTokens outputTokens status protocol } } }';
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const { data } = await post(server.url, { query, variables: { model } }, headers);
  return z.object({ usageLogs: z.object({ nodes: z.array(z.unknown()) }) }).parse(data).usageLogs.nodes;
}
