import { Agent, request as sendRequest } from 'node:http';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { chunk, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';

const WORKERS = 2;
/** The supervisor passes connections to the workers in turn: some of these are at each. */
const SUBSCRIBERS = 2 * WORKERS;
const COMPLETIONS = 4 * WORKERS;
const CHUNKS = 40;

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

interface Seen {
  readonly requestId: string | null;
  readonly type: string;
  readonly text: string | null;
}

/** What one subscriber sees. */
class Subscriber {
  readonly client: Client;
  readonly events: Seen[] = [];

  constructor(server: ServerProcess) {
    this.client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${server.apiKey}` },
      retryAttempts: 0,
    });
    void this.#read();
  }

  of(requestId: string): Seen[] {
    return this.events.filter((event) => event.requestId === requestId);
  }

  hasEnd(requestId: string): boolean {
    return this.of(requestId).some(({ type }) => type === 'CompletionFinished');
  }

  async #read(): Promise<void> {
    const query = 'subscription { liveCompletions { requestId event { __typename ... on CompletionDelta { text } } } }';
    for await (const answer of this.client.iterate({ query })) {
      const { liveCompletions } = answerSchema.parse(answer).data ?? {};
      const { requestId, event } = liveCompletions;
      this.events.push({ requestId, type: event.__typename, text: event.text ?? null });
    }
  }
}

// The embedded database has one process.
describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('workers without Redis', () => {
  let provider: FakeProvider;
  let server: ServerProcess;
  let drop: () => Promise<void>;
  const subscribers: Subscriber[] = [];

  beforeAll(async () => {
    provider = await startFakeProvider();
    const { adminUrl, template } = await shared('migratedDatabase');
    const { name, url } = await createDatabase(adminUrl, template);
    drop = () => dropDatabase(adminUrl, name);
    server = await startNewServer({
      DATABASE_URL: url,
      SLUICE_SECRET: TEST_SECRET,
      WORKERS: String(WORKERS),
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
    });
  });

  afterAll(async () => {
    for (const { client } of subscribers) await client.dispose();
    await server.dispose();
    await provider.close();
    await drop();
  });

  /** On a connection of its own. @returns the id of the request, once it has ended */
  function stream(): Promise<string> {
    const body = JSON.stringify({
      model: 'openai/gpt-4.1-mini',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: new Agent({ keepAlive: false }) };
      const sent = sendRequest(`${server.url}/v1/chat/completions`, options, (response) => {
        response.on('error', reject).resume();
        response.on('end', () => resolve(String(response.headers['x-request-id'])));
      });
      sent.on('error', reject).end(body);
    });
  }

  async function streamAll(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, stream));
  }

  it('show every event of every completion to each subscriber, in order, once', async () => {
    const texts = Array.from({ length: CHUNKS }, (_each, number) => `${number} `);
    const chunks = texts.map((content) => chunk({ content }));
    provider.answerWith(pieces([...chunks, chunk({}, 'stop'), 'data: [DONE]\n\n'], 'end'));
    while (subscribers.length < SUBSCRIBERS) subscribers.push(new Subscriber(server));
    // A client is not told when its subscription stands: until then requests are sent again.
    const batches: string[][] = [];
    const isSeen = (batch: readonly string[]): boolean =>
      subscribers.every((subscriber) => batch.every((id) => subscriber.of(id)[0]?.type === 'CompletionStarted'));
    const areWatching = async (): Promise<boolean> => {
      batches.push(await streamAll(COMPLETIONS));
      return batches.some(isSeen);
    };
    await expect.poll(areWatching).toBe(true);
    const ids = await streamAll(COMPLETIONS);
    await expect.poll(() => subscribers.every((each) => ids.every((id) => each.hasEnd(id)))).toBe(true);
    for (const subscriber of subscribers)
      for (const id of ids) {
        const events = subscriber.of(id);
        expect(events.map(({ text }) => text ?? '').join('')).toBe(texts.join(''));
        expect(events.filter(({ type }) => type !== 'CompletionDelta').map(({ type }) => type)).toEqual([
          'CompletionStarted',
          'CompletionFinished',
        ]);
        expect([events[0]?.type, events.at(-1)?.type]).toEqual(['CompletionStarted', 'CompletionFinished']);
      }
  });

  /** The events of a subscription on a connection of its own, which is closed at its end. */
  async function* eventsOf(query: string, variables: Record<string, unknown>) {
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${server.apiKey}` },
      retryAttempts: 0,
    });
    try {
      for await (const answer of client.iterate({ query, variables })) {
        const { data, errors } = answerSchema.parse(answer);
        for (const { extensions } of errors ?? []) yield { code: extensions.code };
        const { completion, comparison } = data ?? {};
        if (completion) yield completion;
        if (comparison) yield { cursor: comparison.cursor, ...comparison.event };
      }
    } finally {
      await client.dispose();
    }
  }

  /** On a connection of its own. */
  function mutate(query: string, variables: object) {
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      const options = { method: 'POST', headers, agent: new Agent({ keepAlive: false }) };
      const sent = sendRequest(`${server.url}/graphql`, options, (response) => {
        let text = '';
        response.on('data', (data) => (text += String(data)));
        response.on('end', () => resolve(answerSchema.parse(JSON.parse(text)).data ?? {}));
      });
      sent.on('error', reject).end(JSON.stringify({ query, variables }));
    });
  }

  /** Has the provider send one piece, and another one once the test says so. */
  function answerInTwo(): () => void {
    const rest = Promise.withResolvers<void>();
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'One ' }));
      await rest.promise;
      response.end(`${chunk({ content: 'Two' }, 'stop')}data: [DONE]\n\n`);
    });
    return rest.resolve;
  }

  const completions = () => provider.requests.filter(({ method }) => method === 'POST').length;

  /** Reads until the first part of the output. @returns the rest, and the cursor so far */
  async function readHalf(events: ReturnType<typeof eventsOf>) {
    const types: string[] = [];
    for (;;) {
      const { value } = await events.next();
      types.push(value.__typename);
      if (value.text === 'One ') return { types, cursor: value.cursor, events };
    }
  }

  async function readRest(events: ReturnType<typeof eventsOf>): Promise<unknown[]> {
    const seen: unknown[] = [];
    for await (const { __typename, text, code } of events) seen.push(text ?? code ?? __typename);
    return seen;
  }

  it('run a completion once, and resume it wherever a client connects', async () => {
    const finish = answerInTwo();
    const before = completions();
    const query = `subscription ($input: CompletionInput!, $after: Cursor) { completion(input: $input, after: $after) {
      __typename ... on CompletionDelta { cursor text } ... on CompletionFailed { code } } }`;
    const input = {
      clientRequestId: 'resumed',
      model: 'openai/gpt-4.1-mini',
      messages: [{ role: 'user', content: 'Hello' }],
    };
    // At once, on each worker: one of them runs it.
    const opened = Array.from({ length: SUBSCRIBERS }, () => eventsOf(query, { input }));
    const halves = await Promise.all(opened.map(readHalf));
    for (const { types } of halves) expect(types).toEqual(['CompletionStarted', 'CompletionDelta']);
    expect(completions()).toBe(before + 1);
    const resumed = halves.map(({ cursor }) => readRest(eventsOf(query, { input, after: cursor })));
    finish();
    for (const { events } of halves) expect(await readRest(events)).toEqual(['Two', 'CompletionFinished']);
    for (const rest of resumed) expect(await rest).toEqual(['Two', 'CompletionFinished']);
    // After its end, too.
    for (const { cursor } of halves)
      expect(await readRest(eventsOf(query, { input, after: cursor }))).toEqual(['Two', 'CompletionFinished']);
    const other = { ...input, messages: [{ role: 'user', content: 'Other' }] };
    for (let asked = 0; asked < SUBSCRIBERS; asked++)
      expect(await readRest(eventsOf(query, { input: other }))).toEqual(['request_id_reused']);
    expect(completions()).toBe(before + 1);
  });

  it('cancel a completion that another worker runs', async () => {
    answerInTwo();
    const query = `subscription ($input: CompletionInput!) { completion(input: $input) { __typename
      ... on CompletionDelta { cursor text } ... on CompletionFailed { code } } }`;
    const mutation = 'mutation ($id: ID!) { cancelCompletion(clientRequestId: $id) }';
    for (let round = 0; round < SUBSCRIBERS; round++) {
      const id = `cancelled ${round}`;
      const input = { clientRequestId: id, model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }] };
      const { events } = await readHalf(eventsOf(query, { input }));
      expect(await mutate(mutation, { id })).toEqual({ cancelCompletion: true });
      expect(await readRest(events)).toEqual(['aborted']);
      expect(await mutate(mutation, { id })).toEqual({ cancelCompletion: false });
    }
  });

  it('follow a comparison event by event wherever a client connects', async () => {
    const finish = answerInTwo();
    const started = await mutate(
      'mutation { startComparison(input: { prompt: "Hi", models: ["openai/gpt-4.1-mini"] }) { id } }',
      {},
    );
    const { id } = z.object({ id: z.string() }).parse(started.startComparison);
    const query = `subscription ($id: ID!, $after: Cursor) { comparison(id: $id, after: $after) { cursor event {
      __typename ... on CompletionDelta { text } } } }`;
    const halves = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => readHalf(eventsOf(query, { id }))));
    // A cursor of its worker is valid at each.
    const [{ cursor } = { cursor: null }] = halves;
    expect(cursor).not.toBeNull();
    for (const half of halves) expect(half.cursor).toBe(cursor);
    const resumed = halves.map(() => readRest(eventsOf(query, { id, after: cursor })));
    finish();
    for (const { events } of halves) expect(await readRest(events)).toEqual(['Two', 'ComparisonLaneFinished']);
    for (const rest of resumed) expect(await rest).toEqual(['Two', 'ComparisonLaneFinished']);
  });
});
