import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/database/database.ts';
import { Session, User } from '../../../src/database/entities/index.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { createUsagePartitions } from '../../../src/services/usage/jobs.ts';
import { FilesService } from '../../../src/services/files/files.service.ts';
import { sweepExpired } from '../../../src/services/expiry/jobs.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { makeRetriesDue } from '../make-retries-due.ts';

const numbered = z.strictObject({ number: z.number().int() });
/** For jobs that another process sent, or that are retried. */
const pollSeconds = 0.2;
/** For jobs whose sender wakes a worker. */
const never = 3_600;

describeOnEachDatabase('the job queue', (databases) => {
  test('runs each job once with its data', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const done = new Arrivals<number>();
      const kind = queue.define('count', numbered, async ({ number }) => void done.push(number));
      await queue.start();
      await Promise.all(Array.from({ length: 6 }, (_, number) => queue.send(kind, { number })));
      await done.whenLength(6);
      expect([...done].toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    });
  });

  test('starts a job of the same process immediately, regardless of the poll interval', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const ran = Promise.withResolvers<number>();
      const kind = queue.define('hurry', numbered, async ({ number }) => ran.resolve(number));
      await queue.start();
      await queue.send(kind, { number: 7 });
      expect(await ran.promise).toBe(7);
    });
  });

  test('stores no values from a database error of a failed job', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const kind = queue.define(
        'fails',
        numbered,
        async () => void (await database.query('select $1::uuid', ['canary-of-a-caller'])),
        { retries: 0 },
      );
      await queue.send(kind, { number: 1 });
      const stored = "select output::text from pgboss.job where name = 'fails' and output is not null";
      const [{ output } = { output: '' }] = await vi.waitUntil(async () => {
        const rows = await database.query<{ output: string }>(stored, []);
        return rows.length > 0 && rows;
      }, 60_000);
      expect(output).toContain('22P02');
      expect(output).not.toContain('canary');
    });
  });

  test('retains a job without a worker until the next start', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const kind = queue.define('later', numbered, async () => expect.fail('too early'));
      await queue.send(kind, { number: 1 }, { startAfter: new Date(Date.now() + 3_600_000) });
    });
    await database.query("update pgboss.job set start_after = now() where name = 'later'");
    await withQueue(
      database,
      async (queue) => {
        const ran = Promise.withResolvers<number>();
        queue.define('later', numbered, async ({ number }) => ran.resolve(number));
        await queue.start();
        expect(await ran.promise).toBe(1);
      },
      pollSeconds,
    );
  });

  test('retries a failed job', async () => {
    const database = await databases.open();
    await withQueue(
      database,
      async (queue) => {
        let attempts = 0;
        const kind = queue.define('stubborn', numbered, async () => {
          attempts += 1;
          if (attempts < 3) throw new Error('not yet');
        });
        await queue.send(kind, { number: 1 });
        await vi.waitFor(
          async () => {
            await makeRetriesDue(database);
            expect(await database.query("select state from pgboss.job where name = 'stubborn'")).toEqual([
              { state: 'completed' },
            ]);
          },
          { timeout: 60_000 },
        );
        expect(attempts).toBe(3);
      },
      pollSeconds,
    );
  });

  test('logs the first failure of a kind and its next success only', async () => {
    const database = await databases.open();
    const lines: unknown[] = [];
    const line =
      (level: string) =>
      ({ err, ...fields }: Record<string, unknown>, text?: string): void =>
        void lines.push([level, text, fields.job, err instanceof Error]);
    const log = { debug: silent, info: line('info'), warn: line('warn'), error: line('error') };
    const queue = new JobQueue(database, { log, pollSeconds });
    try {
      let attempts = 0;
      const kind = queue.define('noisy', numbered, async () => {
        attempts += 1;
        if (attempts < 4) throw new Error('not yet');
      });
      await queue.send(kind, { number: 1 });
      await vi.waitFor(
        async () => {
          await makeRetriesDue(database);
          expect(lines).toHaveLength(2);
        },
        { timeout: 60_000 },
      );
      expect(attempts).toBe(4);
      expect(lines).toEqual([
        ['warn', 'job failed; further failures are not logged until one succeeds', 'noisy', true],
        ['info', 'job succeeded again', 'noisy', false],
      ]);
    } finally {
      await queue.stop();
    }
  });

  test('runs each job in one of several queues on the same database', async () => {
    const database = await databases.open();
    const done = new Arrivals<number>();
    const queues = Array.from({ length: 3 }, () => new JobQueue(database, { pollSeconds }));
    try {
      const [kind] = queues.map((queue) =>
        queue.define('shared', numbered, async ({ number }) => void done.push(number)),
      );
      await Promise.all(queues.map((queue) => queue.start()));
      if (kind)
        await Promise.all(Array.from({ length: 12 }, (_, number) => queues[number % 3]?.send(kind, { number })));
      await done.whenLength(12);
      expect(new Set(done).size).toBe(12);
      expect(done).toHaveLength(12);
    } finally {
      await Promise.all(queues.map((queue) => queue.stop()));
    }
  });

  test('limits the jobs of one group, so that others can run', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const [holding, done] = [new Arrivals<number>(), new Arrivals<number>()];
      const released = Promise.withResolvers<void>();
      const options = { concurrency: 6, groupConcurrency: 2 };
      const run = async ({ number }: { number: number }): Promise<void> => {
        if (number < 100) {
          holding.push(number);
          await released.promise;
        }
        done.push(number);
      };
      const kind = queue.define('fair', numbered, run, options);
      await queue.start();
      const slow = Array.from({ length: 12 }, (_, number) => number);
      await Promise.all(slow.map((number) => queue.send(kind, { number }, { group: 'slow' })));
      await holding.whenLength(2);
      for (const number of [100, 101, 102]) await queue.send(kind, { number }, { group: 'quick' });
      await done.whenLength(3);
      expect([...done].toSorted()).toEqual([100, 101, 102]);
      expect(holding).toHaveLength(2);
      released.resolve();
      await done.whenLength(15);
      expect([...done].slice(3).toSorted((a, b) => a - b)).toEqual(slow);
    });
  });

  test('retains one queued job per key, with the latest data', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const done = new Arrivals<number>();
      const kind = queue.define('single', numbered, async ({ number }) => void done.push(number), {
        queueAtMostOne: true,
      });
      await queue.start();
      const later = new Date(Date.now() + 3_600_000);
      const send = (number: number, key: string, startAfter?: Date): Promise<void> =>
        queue.send(kind, { number }, { key, ...(startAfter && { startAfter }) });
      await Promise.all([1, 2, 3, 4, 5].map((number) => send(number, 'a', later)));
      await send(7, 'b', later);
      const rows = (): Promise<{ key: string; count: number }[]> =>
        database.query(
          "select singleton_key as key, count(*)::int as count from pgboss.job where name = 'single' and state < 'active' group by 1 order by 1",
        );
      expect(await rows()).toEqual([
        { key: 'a', count: 1 },
        { key: 'b', count: 1 },
      ]);
      await send(6, 'a');
      await done.whenLength(1);
      expect([...done]).toEqual([6]);
      expect(await rows()).toEqual([{ key: 'b', count: 1 }]);
    });
  });

  test('rejects data that does not match the schema', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const kind = queue.define('strict', numbered, async () => undefined);
      expect(() => queue.define('strict', numbered, async () => undefined)).toThrow('defined twice');
      await expect(queue.send(kind, { number: 1.5 })).rejects.toThrow(z.ZodError);
      expect(() => queue.define('late', numbered, async () => undefined)).toThrow('after the queue was started');
    });
  });

  test('creates the partitions of this month and the next', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const kind = createUsagePartitions(queue, database);
      await queue.send(kind, {});
      const months = [0, 1].map((ahead) => {
        const now = new Date();
        const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)).toISOString();
        return `usage_logs_${month.slice(0, 7).replace('-', '_')}`;
      });
      await vi.waitFor(
        async () => {
          const partitions = await database.query<{ name: string }>(
            "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_logs'::regclass order by 1",
          );
          expect(partitions.map(({ name }) => name)).toEqual(months);
        },
        { timeout: 60_000 },
      );
    });
  });

  test('creates partitions again after the database failed', async () => {
    const database = await databases.open();
    await withQueue(database, async (queue) => {
      const refusing: Database = Object.create(database, {
        query: { value: () => Promise.reject(new Error('the database is away')) },
      });
      await queue.send(createUsagePartitions(queue, refusing), {});
      await vi.waitFor(
        async () => {
          const jobs = "select state from pgboss.job where name = 'make-usage-partitions'";
          expect(await database.query(jobs)).toEqual([{ state: 'retry' }]);
        },
        { timeout: 60_000 },
      );
    });
  });

  test('removes only what has expired', async () => {
    const database = await databases.open();
    const folder = await mkdtemp(join(tmpdir(), 'sluice-sweep-'));
    const blobs = new BlobStore(database, folder);
    const em = database.em();
    const user = em.create(User, { email: 'sweep@example.com', name: 'Sweep', passwordHash: '-' });
    const session = (expiresAt: number, revokedAt: Date | null = null): Session =>
      em.create(Session, {
        user,
        tokenHash: Buffer.from(randomUUID()),
        expiresAt: new Date(Date.now() + expiresAt),
        revokedAt,
      });
    const live = session(3_600_000);
    await em.persist([user, live, session(-1_000), session(3_600_000, new Date())]).flush();
    const meta = { accountId: null, contentType: 'text/plain', sizeLimit: 10 };
    const files = new FilesService({ database, blobs, maxAccountBytes: 100 });
    const kept = await blobs.put(Buffer.from('kept'), { ...meta, expiresAt: null });
    await blobs.put(Buffer.from('gone'), { ...meta, expiresAt: new Date(Date.now() - 1_000) });

    await withQueue(database, async (queue) => {
      await queue.send(sweepExpired(queue, database, blobs, [files]), {});
      await vi.waitFor(
        async () => {
          expect((await database.em().findAll(Session)).map(({ id }) => id)).toEqual([live.id]);
          expect(await database.query('select id from blobs')).toEqual([{ id: kept.id }]);
        },
        { timeout: 60_000 },
      );
    });
    await rm(folder, { recursive: true, force: true });
  });

  test('runs a missed scheduled job once', async () => {
    const database = await databases.open();
    const done = new Arrivals<number>();
    const scheduled = (): JobQueue => {
      const queue = new JobQueue(database, { scheduleSeconds: 1, pollSeconds });
      const kind = queue.define('yearly', numbered, async ({ number }) => void done.push(number));
      queue.schedule(kind, '0 0 1 1 *', { number: 3 });
      return queue;
    };
    const first = scheduled();
    await first.start();
    await first.stop();
    expect([...done]).toEqual([]);
    await database.query("update pgboss.schedule set created_on = now() - interval '3 years'");
    await database.query("update pgboss.version set cron_on = now() - interval '3 years'");

    const second = scheduled();
    await second.start();
    await done.whenLength(1);
    await second.stop();
    expect([...done]).toEqual([3]);
    const jobs = await database.query<{ state: string }>("select state from pgboss.job where name = 'yearly'");
    expect(jobs).toEqual([{ state: 'completed' }]);
  });

  test('starts when the database becomes available, and can be stopped before', async () => {
    const database = await databases.open();
    await database.query('create schema pgboss');
    await database.query('create table pgboss.version (unusable boolean)');
    const warned = Promise.withResolvers<void>();
    const log = { debug: silent, info: silent, warn: () => warned.resolve(), error: silent };
    const queue = new JobQueue(database, { log });
    const starting = queue.start();
    await warned.promise;
    await database.query('drop schema pgboss cascade');
    await starting;
    await queue.stop();
  });
});

async function withQueue(database: Database, use: (queue: JobQueue) => Promise<void>, look = never): Promise<void> {
  const queue = new JobQueue(database, { pollSeconds: look });
  try {
    await use(queue);
  } finally {
    await queue.stop();
  }
}

function silent(): void {}
