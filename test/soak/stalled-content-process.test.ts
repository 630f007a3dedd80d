import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../harness/postgres.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';

const REQUESTS = 10_000;
const CONCURRENCY = 20;
const prompt = 'word '.repeat(2_000);

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
    });
    afterAll(async () => {
      await server.dispose();
      await provider.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function chat(content: string): Promise<number> {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content }] }),
      });
      await response.arrayBuffer();
      return response.status;
    }

    async function counter(name: string): Promise<number> {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
    }

    const megabytes = (): number =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);

    it('answers 10,000 requests, and its rows and its metric say exactly how many have no content', async () => {
      const client = new Client(postgres.url);
      await client.connect();
      try {
        const before = megabytes();
        await client.query('begin');
        await client.query('lock table logged_contents in access exclusive mode');
        const statuses = new Map<number, number>();
        const times: number[] = [];
        let left = REQUESTS;
        let peak = 0;
        const send = async (): Promise<void> => {
          while (left-- > 0) {
            const start = performance.now();
            const status = await chat(prompt);
            times.push(performance.now() - start);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (times.length % 500 === 0) peak = Math.max(peak, megabytes());
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, send));
        await client.query('rollback');
        times.sort((a, b) => a - b);
        const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
        process.stdout.write(`p99 ${p99.toFixed(0)} ms; resident memory ${before} MB before, at most ${peak} MB\n`);
        expect([...statuses]).toEqual([[200, REQUESTS]]);
        const states = async (): Promise<Readonly<Record<string, number>>> => {
          const { rows } = await client.query<{ state: string; count: number }>(
            'select state, count(*)::int as count from logged_contents group by state',
          );
          return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
        };
        await expect
          .poll(async () => Object.values(await states()).reduce((sum, count) => sum + count, 0))
          .toBe(REQUESTS);
        const { stored = 0, dropped = 0 } = await states();
        expect(dropped).toBeGreaterThan(0);
        // The counters follow the rows.
        await expect
          .poll(() =>
            Promise.all(
              ['stored_total', 'dropped_total', 'queue_bytes'].map((name) => counter(`sluice_content_${name}`)),
            ),
          )
          .toEqual([stored, dropped, 0]);
      } finally {
        await client.end();
      }
    });
  },
);
