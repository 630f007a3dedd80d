import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const LINES = 1_000;
/** The input of responses in the background. */
const BACKGROUND = 'Tell me a long story.';
/** Of server PostgreSQL, where a lease has to end first. */
const TIMEOUT_MS = 240_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const batches = (): Anthropic.Messages.Batches =>
  new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 5 }).messages.batches;

const responses = (): OpenAI.Responses =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 5 }).responses;

/** Starts one whose provider never ends it. @returns its id, once a part of it is stored */
async function startInBackground(): Promise<string> {
  const { id } = await responses().create({ model: 'openai/gpt-4.1-mini', input: BACKGROUND, background: true });
  await expect.poll(async () => (await responses().retrieve(id)).status).toBe('in_progress');
  return id;
}

interface UsageRow {
  readonly status: string;
  readonly rows: number;
  readonly events: number;
  readonly cost: string;
}

/** Of the stopped server. */
async function usageRows(): Promise<UsageRow[]> {
  const database = await openDatabase(server.database);
  try {
    return await database.query<UsageRow>(
      `select status, count(*)::int as rows, count(distinct event_id)::int as events, count(distinct cost_nano)::text as cost
       from usage_logs where capability = 'chat' group by status order by status`,
    );
  } finally {
    await database.close();
  }
}

describe('a server that is killed three times', () => {
  it(
    'ends a batch and the responses in the background that were running: each is billed once, and each line is run to its end once',
    async () => {
      const answer = completion();
      const endless = pieces([chunk({ content: 'Once' })], 'hang');
      provider.answerWith(async (request, response) => {
        if (request.body.includes(BACKGROUND)) return endless(request, response);
        await new Promise((resolve) => setTimeout(resolve, 20));
        await answer(request, response);
      });
      const requests = Array.from({ length: LINES }, (_, index) => ({
        custom_id: `line-${index}`,
        params: {
          model: 'openai/gpt-4.1-mini',
          max_tokens: 20,
          messages: [{ role: 'user' as const, content: `line-${index}.` }],
        },
      }));
      const { id } = await batches().create({ requests });
      const inBackground: string[] = [];
      for (const arrived of [100, 400, 700]) {
        await provider.whenRequested(arrived);
        inBackground.push(await startInBackground());
        expect((await batches().retrieve(id)).processing_status).toBe('in_progress');
        await server.end('SIGKILL');
        server = await server.restart();
      }
      for (const each of inBackground) {
        await expect
          .poll(async () => (await responses().retrieve(each)).status, { timeout: TIMEOUT_MS })
          .toBe('failed');
        expect((await responses().retrieve(each)).error).toMatchObject({ code: 'server_error' });
      }
      await expect
        .poll(async () => (await batches().retrieve(id)).processing_status, { timeout: TIMEOUT_MS, interval: 500 })
        .toBe('ended');
      const { request_counts: counts } = await batches().retrieve(id);
      expect(counts).toEqual({ processing: 0, succeeded: LINES, errored: 0, canceled: 0, expired: 0 });
      const ids: string[] = [];
      for await (const { custom_id: customId, result } of await batches().results(id)) {
        expect(result.type).toBe('succeeded');
        ids.push(customId);
      }
      expect(ids).toEqual(requests.map(({ custom_id: customId }) => customId));
      const runs = provider.requests.flatMap(({ body }) => /line-\d+\./.exec(body) ?? []);
      expect(new Set(runs).size).toBe(LINES);
      // Those that were running at each kill ran again.
      expect(runs.length).toBeGreaterThan(LINES);
      await server.end('SIGTERM');
      expect(await usageRows()).toEqual([
        { status: 'interrupted', rows: 3, events: 3, cost: '1' },
        { status: 'succeeded', rows: LINES, events: LINES, cost: '1' },
      ]);
    },
    TIMEOUT_MS,
  );
});
