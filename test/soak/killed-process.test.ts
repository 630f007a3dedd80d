import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/database/database.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startFailing, startServer, type ServerProcess } from '../harness/server-process.ts';
import { slowSandbox } from '../harness/slow-sandbox.ts';

/** On server PostgreSQL a lease has to end first. */
const TAKEN_UP_MS = 90_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ ...slowSandbox, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

beforeEach(() => provider.answerWith(completion()));

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function chat(target: ServerProcess, body: object = {}): Promise<Response> {
  return fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
}

const logged = z.object({ requestId: z.string(), status: z.string() });
const logAnswer = z.object({
  data: z.object({
    usageLogs: z.object({
      nodes: z.array(logged),
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
    }),
  }),
});
type Logged = z.infer<typeof logged>;

/** The whole usage log, as GraphQL tells it. */
async function usageLog(target: ServerProcess): Promise<Logged[]> {
  const rows: Logged[] = [];
  for (let after: string | null = null; ;) {
    const query =
      'query ($after: Cursor) { usageLogs(first: 100, after: $after) { nodes { requestId status } pageInfo { hasNextPage endCursor } } }';
    const response = await fetch(`${target.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data } = logAnswer.parse(await response.json());
    rows.push(...data.usageLogs.nodes);
    if (!data.usageLogs.pageInfo.hasNextPage) return rows;
    after = data.usageLogs.pageInfo.endCursor;
  }
}

/** Waits until the log holds what is looked for. */
async function loggedUntil(target: ServerProcess, done: (rows: readonly Logged[]) => boolean): Promise<Logged[]> {
  // Each look costs the caller points, of which there are so many a minute.
  for (let pauseMs = 20; ; pauseMs = Math.min(500, pauseMs * 1.5)) {
    const rows = await usageLog(target);
    if (done(rows)) return rows;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

describe('a server that is killed under load', () => {
  it('has the usage of every answered request once, round after round', async () => {
    const answered = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const target = server;
      let killed = false;
      let inRound = 0;
      const caller = async (): Promise<void> => {
        while (!killed) {
          const response = await chat(target).catch(() => null);
          const whole = await response?.text().catch(() => null);
          if (!response || !whole) return;
          answered.add(response.headers.get('x-request-id') ?? '');
          if (++inRound === 150) {
            killed = true;
            await target.end('SIGKILL');
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, caller));
      server = await server.restart();
    }
    const rows = await loggedUntil(server, (all) =>
      [...answered].every((id) => all.some(({ requestId }) => requestId === id)),
    );
    const succeeded = rows.filter(({ status }) => status === 'SUCCEEDED').map(({ requestId }) => requestId);
    expect(answered.size).toBeGreaterThanOrEqual(450);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(rows.length);
    expect([...answered].filter((id) => !succeeded.includes(id))).toEqual([]);
  });

  it('resolves what was open as interrupted', async () => {
    provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
    const response = await chat(server, { stream: true });
    const id = response.headers.get('x-request-id');
    await server.end('SIGKILL');
    await response.text().catch(() => null);
    server = await server.restart();
    const rows = await loggedUntil(server, (all) => all.some(({ requestId }) => requestId === id));
    expect(rows.filter(({ requestId }) => requestId === id)).toEqual([{ requestId: id, status: 'INTERRUPTED' }]);
  });

  it('does not run again what its idempotency key was claimed for', async () => {
    const keyed = (): Promise<Response> =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'killed-key',
        },
        body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'killed-key' }] }),
      });
    const arrived = Promise.withResolvers<void>();
    provider.answerWith(() => arrived.resolve());
    const lost = keyed().catch(() => null);
    await arrived.promise;
    await server.end('SIGKILL');
    await lost;
    server = await server.restart();
    provider.answerWith(completion());
    const again = await keyed();
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('idempotency_interrupted')]);
    expect(provider.requests.filter(({ body }) => body.includes('killed-key'))).toHaveLength(1);
  });

  it('has the stored completions that the database had, and no parts of others', async () => {
    const client = () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    let ids = 0;
    provider.answerWith((request, response) => completion({ id: `chatcmpl-killed-${ids++}` })(request, response));
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const create = () =>
      client().chat.completions.create({ model: 'openai/gpt-4.1-mini', messages, store: true, metadata: { n: '1' } });
    const first = await create();
    // A list is read from the database.
    expect((await client().chat.completions.list()).data.map(({ id }) => id)).toEqual([first.id]);
    const others = await Promise.all(Array.from({ length: 20 }, create));
    await server.end('SIGKILL');
    server = await server.restart();
    const found: OpenAI.ChatCompletion[] = [];
    for await (const each of client().chat.completions.list({ limit: 5 })) found.push(each);
    expect(found.map(({ id }) => id)).toContain(first.id);
    const answered = new Map([first, ...others].map((each) => [each.id, { ...each, metadata: { n: '1' } }]));
    for (const each of found) expect(each).toEqual(answered.get(each.id));
    const last = await create();
    await server.end('SIGTERM');
    server = await server.restart();
    expect(await client().chat.completions.retrieve(last.id)).toEqual({ ...last, metadata: { n: '1' } });
  });

  it('does not run a response in the background again whose key was revoked meanwhile', async () => {
    const client = () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    const input = 'Tell me a long story, of 2000 words.';
    const createKey =
      'mutation { createApiKey(input: { name: "k", scopes: [INFERENCE, READ] }) { secret apiKey { id } } }';
    const made = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.apiKey}` },
      body: JSON.stringify({ query: createKey }),
    });
    const { data } = z
      .object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) })
      .parse(await made.json());
    const other = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: data.createApiKey.secret, maxRetries: 0 });
    const queued = await other.responses.create({ model: 'sandbox/chat', input, background: true });
    await expect.poll(async () => (await client().responses.retrieve(queued.id)).status).toBe('in_progress');
    await server.end('SIGKILL');
    const database = await openDatabase(server.database);
    await database.query("update api_keys set revoked_at = now() where name = 'k'");
    await database.close();
    server = await server.restart();
    await expect
      .poll(async () => (await client().responses.retrieve(queued.id)).status, { timeout: TAKEN_UP_MS })
      .toBe('failed');
    const { error } = await client().responses.retrieve(queued.id);
    expect(error).toMatchObject({ code: 'invalid_prompt', message: expect.stringContaining('revoked') });
    const types: string[] = [];
    for await (const event of await client().responses.retrieve(queued.id, { stream: true })) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.failed']);
    expect(types.filter((type) => type === 'response.in_progress')).toHaveLength(1);
  });
});

describe('a server that is told to stop', () => {
  it('lets what is under way end, settles it, and exits with 0', async () => {
    const held = Promise.withResolvers<void>();
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'One' }));
      await held.promise;
      response.end(`${chunk({ content: ' two' }, 'stop')}data: [DONE]\n\n`);
    });
    const response = await chat(server, { stream: true });
    const ended = server.end('SIGTERM');
    held.resolve();
    expect(await response.text()).toMatch(/two[\s\S]*data: \[DONE\]\n\n$/);
    expect(await ended).toBe(0);
    server = await server.restart();
    const id = response.headers.get('x-request-id');
    const rows = await loggedUntil(server, (all) => all.some(({ requestId }) => requestId === id));
    expect(rows.filter(({ requestId }) => requestId === id)).toEqual([{ requestId: id, status: 'SUCCEEDED' }]);
  });
});

describe('a start that cannot succeed', () => {
  it('is refused while another process has the data folder', async () => {
    const { code, output } = await startFailing({ SLUICE_DATA_DIR: server.dataDir });
    expect(code).toBe(1);
    expect(output).toContain('data folder is in use');
  });
});
