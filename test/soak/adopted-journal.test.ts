import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase, type Database } from '../../src/database/database.ts';
import { requestIdOf } from '../../src/gateway/event-id.ts';
import { createDatabase, dropDatabase } from '../harness/create-database.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres } from '../harness/postgres.ts';
import { TEST_SECRET } from '../harness/product-template.ts';
import { describeWithRedis, startRedis, UNREACHED_TIMEOUT_MS, type RunningRedis } from '../harness/redis.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';
import { shared } from '../harness/shared-resources.ts';

const sluice = fileURLToPath(new URL('../../dist/cli/sluice.js', import.meta.url));
const MODEL = 'openai/priced';
/** Of 100 output tokens at a dollar a million; the input is free. */
const REQUEST_NANO = 100_000;
const ANSWERED = 20;
const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };

const budgetsSchema = z.object({
  data: z.object({
    budgets: z.array(z.object({ spent: z.object({ amount: z.string() }), reserved: z.object({ amount: z.string() }) })),
  }),
});

interface Stored {
  readonly id: string;
  readonly status: string;
  readonly cost: string;
}

/** In this order: later tests use what earlier ones left. */
describeWithRedis('the journal of an instance that is gone', () => {
  describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('on PostgreSQL and Redis', () => {
    let folder: string;
    let env: Readonly<Record<string, string>>;
    let removeDatabase: () => Promise<void>;
    let redis: RunningRedis;
    let provider: FakeProvider;
    let database: Database;
    let gone: ServerProcess;
    let other: ServerProcess;
    let answered: string[];
    let open: string[];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'sluice-adopted-'));
      const config = join(folder, 'sluice.yaml');
      writeFileSync(config, `models:\n  ${MODEL}: { input: "0.5", output: "1", max_output_tokens: 100000 }\n`);
      const { adminUrl, template } = await shared('migratedDatabase');
      const { name, url } = await createDatabase(adminUrl, template);
      removeDatabase = () => dropDatabase(adminUrl, name);
      redis = await startRedis();
      provider = await startFakeProvider();
      env = {
        DATABASE_URL: url,
        REDIS_URL: redis.url,
        SLUICE_REDIS_TIMEOUT_MS: String(UNREACHED_TIMEOUT_MS),
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_CONFIG: config,
        SLUICE_DRAIN_TIMEOUT_MS: '500',
      };
      gone = await startNewServer({ ...env, OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.url });
      other = await gone.another();
      database = await openDatabase({ dataDir: folder, url });
      await graphql(other, 'mutation { setBudget(input: { budget: { amount: "5", period: MONTH } }) { id } }');
    });

    afterAll(async () => {
      await database.close();
      await other.dispose();
      await gone.dispose();
      await provider.close();
      await redis.stop();
      await removeDatabase();
      rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(() => provider.answerWith(completion({ usage })));

    async function graphql(server: ServerProcess, query: string): Promise<unknown> {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gone.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return response.json();
    }

    async function chat(server: ServerProcess, stream = false): Promise<Response> {
      return fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gone.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: MODEL,
          stream,
          max_tokens: 100,
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      });
    }

    /** A stream that does not end. @returns its id */
    async function openStream(server: ServerProcess): Promise<string> {
      provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
      const response = await chat(server, true);
      response.text().catch(() => null);
      return response.headers.get('x-request-id') ?? '';
    }

    async function answeredId(server: ServerProcess): Promise<string> {
      const response = await chat(server);
      expect(response.status).toBe(200);
      await response.text();
      return response.headers.get('x-request-id') ?? '';
    }

    const stored = async (): Promise<readonly Stored[]> =>
      (await database.query<Stored>('select event_id as id, status, cost_nano::text as cost from usage_logs')).map(
        (row) => ({ ...row, id: requestIdOf(row.id) }),
      );

    /** No usage can be stored until it is called. */
    async function blockStorage(): Promise<() => Promise<void>> {
      const blocked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const held = database.transaction(async (client) => {
        await client.query('lock table ledger_balances in access exclusive mode');
        blocked.resolve();
        await release.promise;
      });
      await blocked.promise;
      return () => {
        release.resolve();
        return held;
      };
    }

    function command(...args: string[]): ChildProcess {
      return spawn(process.execPath, [sluice, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, SLUICE_DATA_DIR: join(folder, 'cli'), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    }

    async function run(
      ...args: string[]
    ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
      const child = command(...args);
      const read = (stream: typeof child.stdout): Promise<string> =>
        stream === null ? Promise.resolve('') : text(stream);
      const [out, err, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')]);
      return { code: Number(code), out, err };
    }

    it('is refused while the instance runs', async () => {
      expect(await run('journal', 'adopt', gone.dataDir)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining(`${gone.dataDir} is in use.`),
      });
      expect((await chat(gone)).status).toBe(200);
    });

    it('is counted by a dry run, which changes nothing', async () => {
      const release = await blockStorage();
      answered = await Promise.all(Array.from({ length: ANSWERED }, () => answeredId(gone)));
      open = [await openStream(gone), await openStream(gone)];
      await gone.end('SIGKILL');
      // What the killed process was storing may still be committed by PostgreSQL.
      await release();
      const before = readdirSync(join(gone.dataDir, 'journal'));
      const { code, out } = await run('journal', 'adopt', gone.dataDir, '--dry-run');
      expect(code).toBe(0);
      expect(out).toMatch(/^\d+ requests would be stored \(\d+ are stored already\); 2 of them would be INTERRUPTED/);
      expect(readdirSync(join(gone.dataDir, 'journal'))).toEqual(before);
      expect((await stored()).filter(({ id }) => open.includes(id))).toEqual([]);
    });

    it('is stored once, also by a command that is killed and repeated', async () => {
      const release = await blockStorage();
      const killed = command('journal', 'adopt', gone.dataDir);
      // It waits for the lock of the table.
      await expect
        .poll(async () => {
          const rows = await database.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%with incoming%'",
          );
          return rows.length;
        })
        .toBeGreaterThan(0);
      killed.kill('SIGKILL');
      await once(killed, 'close');
      await release();
      const adopted = await run('journal', 'adopt', gone.dataDir);
      expect(adopted.code).toBe(0);
      expect(adopted.out).toMatch(/of 1 account stored .* 2 of them INTERRUPTED, with estimated usage/);
      expect(adopted.out).toContain(`No usage is left in ${gone.dataDir}.`);
      const rows = await stored();
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      const statusOf = (ids: readonly string[]): string[] =>
        ids.flatMap((id) => rows.filter((row) => row.id === id).map(({ status }) => status));
      expect(statusOf(answered)).toEqual(answered.map(() => 'succeeded'));
      expect(statusOf(open)).toEqual(['interrupted', 'interrupted']);
      expect((await run('ledger', 'check')).out).toContain('The ledger is consistent');
    });

    it('counts in the budgets of running instances, and its reservations end', async () => {
      const rows = await stored();
      const spent = rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n);
      expect(spent).toBeGreaterThan(BigInt(ANSWERED * REQUEST_NANO));
      const budget = async () => {
        const { data } = budgetsSchema.parse(
          await graphql(other, '{ budgets { spent { amount } reserved { amount } } }'),
        );
        return data.budgets.map((each) =>
          [each.spent, each.reserved].map(({ amount }) => Math.round(Number(amount) * 1e9)),
        );
      };
      await expect.poll(budget).toEqual([[Number(spent), 0]]);
    });

    it('has nothing left, and the folder can be used again', async () => {
      const before = await stored();
      expect((await run('journal', 'adopt', gone.dataDir)).out).toMatch(/^0 requests of 0 accounts stored/);
      gone = await gone.restart();
      expect(await stored()).toEqual(before);
      const id = await answeredId(gone);
      await expect.poll(async () => (await stored()).filter((row) => row.id === id)).toHaveLength(1);
    });

    it('is adopted from a process that was paused, which then ends and bills nothing twice', async () => {
      const id = await openStream(gone);
      const lock = join(gone.dataDir, 'lock');
      await expect.poll(() => readFileSync(lock, 'utf8')).toContain('"token"');
      process.kill(gone.pid, 'SIGSTOP');
      // As that of a process on another machine, of which only the heartbeat is known.
      writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), realm: 'elsewhere' }));
      const adopted = await run('journal', 'adopt', gone.dataDir);
      expect(adopted.code).toBe(0);
      expect((await stored()).filter((row) => row.id === id)).toMatchObject([{ status: 'interrupted' }]);
      // The signal resumes it.
      expect(await gone.end('SIGCONT')).toBe(1);
      expect(gone.output()).toContain('another process has the data folder now');
      expect((await stored()).filter((row) => row.id === id)).toMatchObject([{ status: 'interrupted' }]);
      expect(existsSync(lock)).toBe(false);
      expect((await run('ledger', 'check')).out).toContain('The ledger is consistent');
    });
  });
});
