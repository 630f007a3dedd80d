import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const LINES = 1_000;
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
       from usage_logs where capability = 'chat' group by status`,
    );
  } finally {
    await database.close();
  }
}

describe('a batch of a server that is killed three times', () => {
  it(
    'ends after the last start: each request is answered and billed once',
    async () => {
      const answer = completion();
      provider.answerWith(async (request, response) => {
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
      for (const arrived of [100, 400, 700]) {
        await provider.whenRequested(arrived);
        await server.end('SIGKILL');
        server = await server.restart();
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
      expect(await usageRows()).toEqual([{ status: 'succeeded', rows: LINES, events: LINES, cost: '1' }]);
    },
    TIMEOUT_MS,
  );
});
