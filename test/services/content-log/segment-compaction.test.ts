import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import { LoggedContentsService } from '../../../src/services/content-log/logged-contents.service.ts';
import { SegmentCompaction } from '../../../src/services/content-log/segment-compaction.ts';
import { SegmentStore } from '../../../src/services/content-log/segment-store.ts';
import { UsageService } from '../../../src/services/usage/usage.service.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const silent = { warn: () => undefined };

describeWithDatabase('compaction of logged content', (databases) => {
  let database: Database;
  let folder: string;
  let blobs: BlobStore;
  let store: SegmentStore;
  let contents: LoggedContentsService;
  const seal = new ContentSeal('the master key of this test');

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-compaction-'));
    blobs = new BlobStore(database, folder);
    store = new SegmentStore({ database, blobs, seal, log: { warn: () => undefined }, clock: new FakeClock() });
    const usage = new UsageService(database);
    contents = new LoggedContentsService({ database, blobs, seal, usage, flush: async () => true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'With content' });
    await em.persist(account).flush();
    return account.id;
  }

  /** Stores each text; all of a batch in one segment. @returns their IDs */
  async function log(accountId: string, texts: readonly string[]): Promise<string[]> {
    const batch = texts.map((text) => ({
      eventId: newEventIds().eventId,
      accountId,
      level: 'full' as const,
      document: Buffer.from(JSON.stringify({ request: text, response: null, error: null, isComplete: true })),
      redactions: {},
      searchText: null,
    }));
    await store.store(batch);
    // Segments are left alone for an hour after they are stored.
    await database.query(
      "update blobs set created_at = date_trunc('hour', now()) - interval '2 hours' where account_id = $1",
      [accountId],
    );
    return batch.map(({ eventId }) => eventId);
  }

  async function segmentsOf(accountId: string): Promise<{ id: string; size: number }[]> {
    const rows = await database.query<{ id: string; size: string }>(
      'select id, size from blobs where account_id = $1 and expires_at is null order by id',
      [accountId],
    );
    return rows.map(({ id, size }) => ({ id, size: Number(size) }));
  }

  async function textsOf(accountId: string, ids: readonly string[]): Promise<unknown[]> {
    const read = await Promise.all(ids.map((id) => contents.read(accountId, id)));
    return read.map((each) => (each.state === 'stored' ? each.document.request : each.state));
  }

  /** Random, so that it does not become short. */
  const long = (at: number): string => Array.from({ length: 2_000 }, () => Math.random().toString(36)).join('') + at;
  const compaction = (given: Partial<ConstructorParameters<typeof SegmentCompaction>[0]> = {}) =>
    new SegmentCompaction({ database, blobs, log: silent, ...given });

  test('removes the bytes of what was deleted, and keeps what can be read', async () => {
    const accountId = await newAccount();
    const texts = Array.from({ length: 20 }, (_, at) => long(at));
    const ids = await log(accountId, texts);
    const [old] = await segmentsOf(accountId);
    expect(old?.size).toBeGreaterThan(256 * 1024);
    const kept = ids.filter((_, at) => at % 3 === 0);
    for (const id of ids) if (!kept.includes(id)) await contents.delete(accountId, id);
    const now = new Date();
    await compaction().compact(now);
    const [made, ...others] = await segmentsOf(accountId);
    expect(others).toEqual([]);
    expect(made?.id).not.toBe(old?.id);
    expect(made?.size).toBeLessThan((old?.size ?? 0) / 2);
    expect(await textsOf(accountId, ids)).toEqual(texts.map((text, at) => (at % 3 === 0 ? text : 'deleted')));
    await blobs.sweep(new Date(now.getTime() + 1_000));
    expect(await readdir(join(folder, old?.id.slice(0, 2) ?? ''))).not.toContain(old?.id);
    expect(await textsOf(accountId, kept)).toEqual(texts.filter((_, at) => at % 3 === 0));
    // A second run finds nothing to do.
    await compaction().compact(now);
    expect(await segmentsOf(accountId)).toEqual([made]);
  });

  test('merges small segments of an account and hour, and leaves those of others alone', async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const ids: string[] = [];
    for (const text of ['one', 'two', 'three']) ids.push(...(await log(accountId, [text])));
    const foreign = await log(other, ['foreign']);
    const before = await segmentsOf(other);
    await compaction().compact(new Date());
    expect(await segmentsOf(accountId)).toHaveLength(1);
    expect(await segmentsOf(other)).toEqual(before);
    expect(await textsOf(accountId, ids)).toEqual(['one', 'two', 'three']);
    expect(await textsOf(other, foreign)).toEqual(['foreign']);
    expect(await textsOf(other, ids)).toEqual(['none', 'none', 'none']);
  });

  test('leaves segments alone whose rows may follow', async () => {
    const accountId = await newAccount();
    await log(accountId, ['one']);
    await log(accountId, ['two']);
    await database.query('update blobs set created_at = now() where account_id = $1', [accountId]);
    const before = await segmentsOf(accountId);
    await compaction().compact(new Date());
    expect(await segmentsOf(accountId)).toEqual(before);
  });

  test('loses nothing when it ends at any point', async () => {
    const accountId = await newAccount();
    const ids = [...(await log(accountId, ['one', 'two'])), ...(await log(accountId, ['three']))];
    // As if the process was killed before each of its statements and writes, one after the other.
    for (let steps = 0; ; steps++) {
      let left = steps;
      const step = (): void => {
        if (left-- === 0) throw new Error('killed');
      };
      const interrupted = compaction({
        database: {
          query: (text, values) => {
            step();
            return database.query(text, values);
          },
        },
        blobs: {
          get: (...given) => {
            step();
            return blobs.get(...given);
          },
          put: (...given) => {
            step();
            return blobs.put(...given);
          },
        },
      });
      const isDone = await interrupted.compact(new Date()).then(
        () => true,
        () => false,
      );
      expect(await textsOf(accountId, ids)).toEqual(['one', 'two', 'three']);
      if (isDone) break;
      expect(steps).toBeLessThan(100);
    }
    // What earlier runs left behind has no rows.
    const orphans = await database.query(
      'select id from blobs where account_id = $1 and expires_at is null and id in (select segment_id from logged_contents)',
      [accountId],
    );
    expect(orphans).toHaveLength(1);
  });

  test('moves no content that is deleted meanwhile, and skips segments whose file is missing', async () => {
    const accountId = await newAccount();
    const [deleted = '', kept = ''] = await log(accountId, ['deleted', 'kept']);
    const [lost = ''] = await log(accountId, ['lost']);
    const [segment] = await database.query<{ segment_id: string }>(
      'select segment_id from logged_contents where event_id = $1',
      [lost],
    );
    const path = join(folder, segment?.segment_id.slice(0, 2) ?? '', segment?.segment_id ?? '');
    await rm(path);
    const deleting = compaction({
      blobs: {
        get: (...given) => blobs.get(...given),
        put: async (...given) => {
          const put = await blobs.put(...given);
          await contents.delete(accountId, deleted);
          return put;
        },
      },
    });
    await deleting.compact(new Date());
    expect(await textsOf(accountId, [deleted, kept, lost])).toEqual(['deleted', 'kept', 'unreadable']);
  });

  test('moves what a truncated file has, and takes nothing from segments after it', async () => {
    const accountId = await newAccount();
    const ids = [...(await log(accountId, ['one', 'two '.repeat(100)])), ...(await log(accountId, ['three']))];
    const [cut] = await database.query<{ segment_id: string; position: number; length: number }>(
      'select segment_id, position, length from logged_contents where event_id = $1',
      [ids[1]],
    );
    const { segment_id: id = '', position = 0, length = 0 } = cut ?? {};
    await truncate(join(folder, id.slice(0, 2), id), position + length - 1);
    expect(await textsOf(accountId, ids)).toEqual(['one', 'unreadable', 'three']);
    await compaction().compact(new Date());
    expect(await textsOf(accountId, ids)).toEqual(['one', 'unreadable', 'three']);
  });

  test('goes on with other accounts where a file of one cannot be read, and fails at the end', async () => {
    const [broken, good] = [await newAccount(), await newAccount()];
    for (const accountId of [broken, good]) for (const text of ['one', 'two']) await log(accountId, [text]);
    const failing = compaction({
      blobs: {
        get: (id, accountId, range) =>
          accountId === broken ? Promise.reject(new Error('permission denied')) : blobs.get(id, accountId, range),
        put: (...given) => blobs.put(...given),
      },
    });
    await expect(failing.compact(new Date())).rejects.toThrow('could not be compacted');
    expect(await segmentsOf(good)).toHaveLength(1);
    await compaction().compact(new Date());
    expect(await segmentsOf(broken)).toHaveLength(1);
  });

  test('may run twice at once', async () => {
    const accountId = await newAccount();
    const ids = [...(await log(accountId, ['one', 'two'])), ...(await log(accountId, ['three']))];
    await Promise.all([compaction().compact(new Date()), compaction().compact(new Date())]);
    expect(await textsOf(accountId, ids)).toEqual(['one', 'two', 'three']);
  });
});
