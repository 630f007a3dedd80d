import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { HeldStreams, openStream, protocols, type Opened } from '../harness/held-streams.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { startWorkers } from '../harness/workers.ts';

/** The embedded database has some 150 files open. */
const EMBEDDED_FILES = 512;
const WORKER_FILES = 256;
/** More than two processes have descriptors for. */
const STREAMS = 320;
const message = expect.stringContaining('This server is out of file descriptors, so it rejected the request.');
const openAiError = { error: { message, code: 'resources_exhausted', type: 'service_unavailable' } };

const errors = {
  chat: openAiError,
  responses: openAiError,
  messages: { type: 'error', error: { type: 'overloaded_error', message } },
  gemini: { error: { code: 503, status: 'UNAVAILABLE', message } },
};

const page = z.object({
  data: z.object({
    usageLogs: z.object({
      nodes: z.array(z.object({ requestId: z.string(), status: z.string(), cost: z.object({ amount: z.string() }) })),
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
    }),
  }),
});
type Logged = z.infer<typeof page>['data']['usageLogs']['nodes'][number];

interface Started {
  readonly server: ServerProcess;
  dispose(): Promise<void>;
}

const settings = (provider: FakeProvider) => ({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });

async function startOne(provider: FakeProvider): Promise<Started> {
  const server = await startServer(settings(provider), { openFiles: EMBEDDED_FILES });
  return { server, dispose: () => server.dispose() };
}

function startTwo(provider: FakeProvider): Promise<Started> {
  return startWorkers(2, settings(provider), { openFiles: WORKER_FILES });
}

describe.each([
  ['one process', EMBEDDED_FILES, startOne],
  ['two workers', WORKER_FILES, startTwo],
])('at the limit of file descriptors, %s', (_name, openFiles, start) => {
  let provider: FakeProvider;
  let started: Started;

  beforeAll(async () => {
    provider = await startFakeProvider();
    started = await start(provider);
  });

  afterAll(async () => {
    await started.dispose();
    await provider.close();
  });

  const chat = () =>
    fetch(`${started.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });

  const metrics = async (): Promise<string> => (await fetch(`${started.server.url}/metrics`)).text();

  /** The log once all that was recorded is stored. */
  async function usageLog(): Promise<Logged[]> {
    await expect.poll(metrics, { interval: 500 }).toMatch(/^sluice_journal_undrained_bytes 0$/m);
    const rows: Logged[] = [];
    for (let after: string | null = null; ;) {
      const query =
        'query ($after: Cursor) { usageLogs(first: 100, after: $after) { nodes { requestId status cost { amount } } pageInfo { hasNextPage endCursor } } }';
      const response = await fetch(`${started.server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${started.server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { after } }),
      });
      const { nodes, pageInfo } = page.parse(await response.json()).data.usageLogs;
      rows.push(...nodes);
      if (!pageInfo.hasNextPage) return rows;
      after = pageInfo.endCursor;
    }
  }

  it('answers 503 in the protocol of the client, completes and bills the streams that are open, and recovers', async () => {
    const { server } = started;
    expect(server.output()).toContain(`this process may have only ${openFiles} file descriptors open`);
    const held = new HeldStreams();
    provider.answerWith(held.script);
    const opened: Opened[] = [];
    for (let at = 0; at < STREAMS; at++) {
      const stream = await openStream(server, protocols[at % protocols.length] ?? 'chat');
      if (stream !== null) opened.push(stream);
    }
    // None was closed without a response.
    expect(opened).toHaveLength(STREAMS);
    const running = opened.filter(({ response }) => response.statusCode === 200);
    const rejected = opened.filter(({ response }) => response.statusCode === 503);
    expect(running.length + rejected.length).toBe(STREAMS);
    expect(running.length).toBeGreaterThan(openFiles / 6);
    expect(new Set(rejected.map(({ protocol }) => protocol))).toEqual(new Set(protocols));
    for (const { protocol, response, body } of rejected) {
      expect(JSON.parse(await body)).toMatchObject(errors[protocol]);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    }
    // Probes are served meanwhile.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const lines = server.output().match(/requests are rejected with 503, because this server is out of a resource/g);
    expect(lines?.length).toBeLessThan(10);
    held.end();
    for (const { protocol, body } of running) {
      const text = await body;
      expect([protocol, text]).toEqual([protocol, expect.stringContaining('two')]);
    }
    // The provider has not failed: no circuit breaker is open, and nothing was sent to it twice.
    expect(held.count).toBe(running.length);
    provider.answerWith(completion());
    await expect.poll(async () => (await chat()).status).toBe(200);
    const ids = running.map(({ response }) => response.headers['x-request-id'] ?? response.headers['request-id']);
    const rows = await usageLog();
    const billed = rows.filter(({ requestId }) => ids.includes(requestId));
    expect(billed).toHaveLength(ids.length);
    expect(new Set(billed.map(({ status, cost }) => `${status} ${cost.amount}`)).size).toBe(1);
    expect(billed[0]).toMatchObject({ status: 'SUCCEEDED', cost: { amount: expect.stringMatching(/[1-9]/) } });
    expect(rows.filter(({ status }) => status === 'FAILED')).toEqual([]);
  });
});
