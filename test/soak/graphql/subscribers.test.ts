import { once } from 'node:events';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { chunk, startFakeProvider, type FakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;
const clients: Client[] = [];

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});

const query = `subscription ($input: CompletionInput!) { completion(input: $input) { __typename
  ... on CompletionDelta { text cursor } ... on CompletionFailed { code } } }`;
const eventSchema = z.object({ __typename: z.string(), text: z.string().optional(), code: z.string().optional() });

function inputOf(clientRequestId: string) {
  return { clientRequestId, model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] };
}

interface WatchOptions {
  readonly authorization?: string;
  /** After each event. */
  readonly onEvent?: () => void;
}

async function watch(
  id: string,
  { authorization = `Bearer ${server.apiKey}`, onEvent = () => undefined }: WatchOptions = {},
): Promise<z.infer<typeof eventSchema>[]> {
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    retryAttempts: 0,
  });
  clients.push(client);
  const events = [];
  for await (const { data } of client.iterate({ query, variables: { input: inputOf(id) } })) {
    events.push(eventSchema.parse(data?.completion));
    onEvent();
  }
  return events;
}

describe('subscribers of one completion', () => {
  it('each hear all of it, from its start, of one request to the provider', async () => {
    const words = Array.from({ length: 200 }, (_, index) => ` ${index}`);
    const lateHaveBegun = Promise.withResolvers<void>();
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [index, word] of words.entries()) {
        if (index === words.length / 2) await lateHaveBegun.promise;
        response.write(chunk({ content: word }));
      }
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
    const before = provider.requests.length;
    const isUnderWay = Promise.withResolvers<void>();
    const first = watch('together', { onEvent: isUnderWay.resolve });
    const others = Array.from({ length: 39 }, () => watch('together'));
    await isUnderWay.promise;
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = begun.map(({ resolve }) => watch('together', { onEvent: resolve }));
    await Promise.all(begun.map(({ promise }) => promise));
    lateHaveBegun.resolve();
    const all = await Promise.all([first, ...others, ...late]);
    for (const events of all) {
      expect(events.map(({ text = '' }) => text).join('')).toBe(words.join(''));
      expect([events[0]?.__typename, events.at(-1)?.__typename]).toEqual(['CompletionStarted', 'CompletionFinished']);
    }
    expect(provider.requests.length).toBe(before + 1);
  });

  it('that do not read are told of the gap when they do, and cost the server little', async () => {
    const piece = 'x'.repeat(16_384);
    const pieces = 4_000;
    let drained: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (drained = resolve));
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let sent = 0; sent < pieces; sent++)
        if (!response.write(chunk({ content: piece }))) await once(response, 'drain');
      drained();
    });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const seen: string[] = [];
    socket.on('message', (bytes) => {
      const text = String(bytes);
      const typename = /"__typename":"(\w+)"/.exec(text)?.[1];
      if (typename !== undefined) seen.push(typename);
      if (text.includes('connection_ack')) {
        const payload = { query, variables: { input: inputOf('slow') } };
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }), () => socket.pause());
      }
    });
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${server.apiKey}` } }));
    // 64 MB go by, of which its ring keeps 16.
    await written;
    socket.resume();
    await expect.poll(() => seen.includes('EventGap')).toBe(true);
    expect(seen.filter((each) => each === 'CompletionDelta').length).toBeLessThan(pieces);
    socket.terminate();
  });

  it('are closed when their key is revoked, and others are not', async () => {
    const asked = Promise.withResolvers<ReceivedRequest>();
    provider.answerWith((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'hello' }));
      asked.resolve(request);
    });
    const ask = async (query: string, variables: object) => {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` },
        body: JSON.stringify({ query, variables }),
      });
      return z.object({ data: z.record(z.string(), z.any()) }).parse(await response.json()).data;
    };
    const { createApiKey } = await ask(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }',
      { input: { name: 'short-lived', scopes: ['INFERENCE'] } },
    );
    const watching = watch('revoked', { authorization: `Bearer ${createApiKey.secret}` }).then(
      () => 'ended',
      (event: unknown) => (typeof event === 'object' && event !== null && 'code' in event ? event.code : event),
    );
    const { aborted } = await asked.promise;
    await ask('mutation ($id: ID!) { revokeApiKey(id: $id) { __typename } }', { id: createApiKey.apiKey.id });
    // Either its socket is closed first, or the request that ends with its key says so.
    expect([4403, 'ended']).toContain(await watching);
    await aborted;
  });
});
