import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../harness/postgres.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';

const REQUESTS = 10_000;
const CONCURRENCY = 20;
/** Of the content in memory, as the server counts it. */
const MAX_QUEUE_MB = 64;
/**
 * Of the resident memory, beyond what requests take whose content is not logged: 64 MB of content, and what the garbage collector
 * leaves for later, which differs from run to run. All content would take 220 MB.
 */
const MAX_GROWTH_MB = 128;
const body = JSON.stringify({
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'word '.repeat(4_000) }],
});

describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')(
  'a server whose content is stalled',
  () => {
    let folder: string;
    let postgres: RunningPostgres;
    let provider: FakeProvider;
    let server: ServerProcess;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sluice-stalled-'));
      // PostgreSQL runs as another user, who has to get in.
      chmodSync(folder, 0o711);
      postgres = await startPostgres(join(folder, 'postgres'));
      provider = await startFakeProvider(completion());
      server = await startNewServer({
        DATABASE_URL: postgres.url,
        SLUICE_SECRET: 'a secret for tests, long enough for it',
        SLUICE_STORE_CONTENT: 'full',
        OPENAI_API_KEY: 'x',
        OPENAI_BASE_URL: provider.url,
        LOG_LEVEL: 'silent',
      });
      const client = new Client(postgres.url);
      await client.connect();
      const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000, concurrency: 100_000 };
      await client.query('update api_keys set limits = $1::jsonb', [JSON.stringify(limits)]);
      await client.end();
    });
    afterAll(async () => {
      await server.dispose();
      await provider.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** @returns the id of the request */
    async function chat(level: 'off' | 'full'): Promise<string> {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.apiKey}`,
          'content-type': 'application/json',
          'x-sluice-log': level,
        },
        body,
      });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      return response.headers.get('x-request-id') ?? '';
    }

    /** @returns the ids of all, and the most memory that the server and its content took */
    async function chats(
      count: number,
      level: 'off' | 'full',
    ): Promise<{ ids: string[]; peakMb: number; queueMb: number }> {
      const ids: string[] = [];
      let left = count;
      let [peakMb, queueMb] = [0, 0];
      const send = async (): Promise<void> => {
        while (left-- > 0) {
          ids.push(await chat(level));
          if (ids.length % 100 !== 0) continue;
          peakMb = Math.max(peakMb, megabytes());
          queueMb = Math.max(queueMb, (await counter('queue_bytes')) / 1_048_576);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, send));
      return { ids, peakMb, queueMb };
    }

    async function counter(name: string): Promise<number> {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^sluice_content_${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
    }

    const megabytes = (): number =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);

    it('serves 10,000 requests in bounded memory, and their rows and the metric say exactly which have no content', async () => {
      const client = new Client(postgres.url);
      await client.connect();
      try {
        const without = await chats(REQUESTS / 2, 'off');
        await client.query('begin');
        await client.query('lock table logged_contents in access exclusive mode');
        const { ids, peakMb, queueMb } = await chats(REQUESTS, 'full');
        expect(queueMb).toBeGreaterThan(0);
        expect(queueMb).toBeLessThanOrEqual(MAX_QUEUE_MB);
        expect(peakMb - without.peakMb).toBeLessThanOrEqual(MAX_GROWTH_MB);
        // What was dropped until now is recorded on disk alone.
        const droppedUntil = await counter('dropped_total');
        expect(droppedUntil).toBeGreaterThan(0);
        await client.query('rollback');
        const rows = async (): Promise<{ event_id: string; state: string }[]> =>
          (await client.query<{ event_id: string; state: string }>('select event_id, state from logged_contents')).rows;
        await expect.poll(async () => (await rows()).length).toBe(REQUESTS);
        const logged = await rows();
        expect(new Set(logged.map(({ event_id }) => event_id))).toEqual(new Set(ids.map(eventIdOf)));
        const [stored, dropped] = ['stored', 'dropped'].map(
          (state) => logged.filter((row) => row.state === state).length,
        );
        expect((stored ?? 0) + (dropped ?? 0)).toBe(REQUESTS);
        expect(dropped).toBeGreaterThanOrEqual(droppedUntil);
        // The counters follow the rows.
        await expect
          .poll(() =>
            Promise.all(['stored_total', 'dropped_total', 'dropped_unrecorded_total', 'queue_bytes'].map(counter)),
          )
          .toEqual([stored, dropped, 0, 0]);
      } finally {
        await client.end();
      }
    });

    it('says after it was killed which content it dropped while the database was stalled', async () => {
      const client = new Client(postgres.url);
      await client.connect();
      try {
        await client.query('begin');
        await client.query('lock table logged_contents in access exclusive mode');
        const droppedBefore = await counter('dropped_total');
        const { ids } = await chats(REQUESTS, 'full');
        await expect.poll(() => counter('dropped_total')).toBeGreaterThan(droppedBefore);
        const dropped = (await counter('dropped_total')) - droppedBefore;
        await server.end('SIGKILL');
        await client.query('rollback');
        server = await server.restart();
        const rows = async (): Promise<string[]> => {
          const found = await client.query<{ event_id: string }>(
            `select event_id from logged_contents where state = 'dropped' and event_id = any($1::uuid[])`,
            [ids.map(eventIdOf)],
          );
          return found.rows.map(({ event_id }) => event_id);
        };
        await expect.poll(async () => (await rows()).length).toBeGreaterThanOrEqual(dropped);
      } finally {
        await client.end();
      }
    });
  },
);
