import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ContentRetention } from '../../../src/services/content-log/content-retention.ts';
import {
  ContentSeal,
  WRAPPED_KEY_BYTES,
  type SealedContent,
  type SealedSegment,
} from '../../../src/services/content-log/content-seal.ts';
import { DroppedContents } from '../../../src/services/content-log/dropped-contents.ts';
import { LoggedContentsService } from '../../../src/services/content-log/logged-contents.service.ts';
import { SegmentStore } from '../../../src/services/content-log/segment-store.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { UsageService } from '../../../src/services/usage/usage.service.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const DAY_MS = 86_400_000;

/** The contents of a segment, as they are read. */
function contentsOf({ bytes, lengths, wrappedKeys }: SealedSegment): SealedContent[] {
  let end = 0;
  return lengths.map((length, at) => ({
    bytes: bytes.subarray(end, (end += length)),
    wrappedKey: wrappedKeys.subarray(at * WRAPPED_KEY_BYTES, (at + 1) * WRAPPED_KEY_BYTES),
  }));
}

describeWithDatabase('logged content', (databases) => {
  let database: Database;
  let folder: string;
  let blobs: BlobStore;
  let store: SegmentStore;
  let contents: LoggedContentsService;
  let dropped: DroppedContents;
  const skipped: string[] = [];
  const seal = new ContentSeal('the master key of this test');

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-content-'));
    blobs = new BlobStore(database, folder);
    store = new SegmentStore({ database, blobs, seal, log: { warn: () => undefined }, clock: new FakeClock() });
    dropped = new DroppedContents({ database, log: { error: (_fields, message) => skipped.push(message) } });
    contents = new LoggedContentsService({
      database,
      blobs,
      seal,
      usage: new UsageService(database),
      flush: async () => true,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'With content' });
    await em.persist(account).flush();
    return account.id;
  }

  function content(accountId: string, text: string, at = Date.now()) {
    const document = { request: { text }, response: null, error: null, isComplete: true };
    const { eventId } = newEventIds(at);
    const stored = {
      level: 'full' as const,
      document: Buffer.from(JSON.stringify(document)),
      redactions: { email: 1 },
      searchText: null,
    };
    return { eventId, accountId, ...stored };
  }

  /** The database refuses NUL in JSON. */
  function unstorable(accountId: string): ReturnType<typeof content> {
    const refused = content(accountId, 'refused');
    return { ...refused, redactions: { '\0': 1 } as never };
  }

  async function segmentsOf(accountId: string): Promise<string[]> {
    const rows = await database.query<{ id: string }>('select id from blobs where account_id = $1', [accountId]);
    return rows.map(({ id }) => id);
  }

  test('is stored in one segment for each account and hour, and read by its part', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const now = Date.UTC(2026, 5, 1, 12, 30);
    const batch = [
      content(one, 'first', now),
      content(other, 'second', now),
      content(one, 'third '.repeat(1_000), now),
      content(one, 'fourth', now + 3_600_000),
    ];
    await store.store(batch);
    expect([(await segmentsOf(one)).length, (await segmentsOf(other)).length]).toEqual([2, 1]);
    for (const { eventId, accountId, document } of batch)
      expect(await contents.read(accountId, eventId)).toEqual({
        state: 'stored',
        level: 'full',
        document: JSON.parse(document.toString()),
        redactions: { email: 1 },
      });
    // Stored again after its result was lost: the first remains.
    await store.store(batch);
    expect(await contents.read(one, batch[0]?.eventId ?? '')).toMatchObject({ state: 'stored' });
  });

  test('is not found by another account, nor in files or rows as a text', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const logged = content(one, 'crown-jewels-2187');
    await store.store([logged]);
    expect(await contents.read(other, logged.eventId)).toEqual({ state: 'none' });
    await expect(contents.delete(other, logged.eventId)).rejects.toMatchObject({ code: 'not_found' });
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      expect((await readFile(join(entry.parentPath, entry.name))).includes('crown-jewels')).toBe(false);
    }
  });

  test('is lost where the usage log says that it was to be logged', async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const logs = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)}: ${String(error)}`));
    const [lost, unlogged] = [
      usageRecord({ account_id: accountId, content_level: 'full' }),
      usageRecord({ account_id: accountId }),
    ];
    await logs.store(rowsJson([lost, unlogged]));
    const isShared = database.kind === 'server';
    // Another instance may store it a little later.
    expect(await contents.read(accountId, lost.event_id)).toEqual({ state: isShared ? 'pending' : 'lost' });
    await database.query(
      "update usage_logs set settled_at = settled_at - interval '61 seconds' where account_id = $1",
      [accountId],
    );
    expect(await contents.read(accountId, lost.event_id)).toEqual({ state: 'lost' });
    expect(await contents.read(accountId, unlogged.event_id)).toEqual({ state: 'none' });
    expect(await contents.read(other, lost.event_id)).toEqual({ state: 'none' });
    const slow = new LoggedContentsService({
      database,
      blobs,
      seal,
      usage: new UsageService(database),
      flush: async () => false,
    });
    expect(await slow.read(accountId, lost.event_id)).toEqual({ state: 'pending' });
    await store.store([{ ...content(accountId, 'late'), eventId: lost.event_id }]);
    expect(await contents.read(accountId, lost.event_id)).toMatchObject({ state: 'stored' });
  });

  test('says that it was dropped', async () => {
    const { eventId, accountId } = content(await newAccount(), 'lost');
    const lost = Buffer.from(JSON.stringify([{ event_id: eventId, account_id: accountId }]));
    await dropped.store(lost);
    await dropped.store(lost);
    expect(await contents.read(accountId, eventId)).toEqual({ state: 'dropped' });
    expect(await segmentsOf(accountId)).toEqual([]);
  });

  test('says that it was dropped around records that are corrupt or of no account', async () => {
    const accountId = await newAccount();
    const [one, stored, two] = [content(accountId, 'one'), content(accountId, 'stored'), content(accountId, 'two')];
    await store.store([stored]);
    const row = ({ eventId }: { eventId: string }, account = accountId): string =>
      `{"event_id":"${eventId}","account_id":"${account}"}`;
    const gone = row(content(accountId, 'gone'), newEventIds().eventId);
    const rows = [
      row(one),
      '{"event_id":"0190a',
      row(stored),
      '{"event_id":"no id","account_id":null}',
      gone,
      row(two),
    ];
    await dropped.store(Buffer.from(`[${rows.join()}]`));
    expect(skipped).toHaveLength(2);
    expect(await contents.read(accountId, one.eventId)).toEqual({ state: 'dropped' });
    expect(await contents.read(accountId, two.eventId)).toEqual({ state: 'dropped' });
    expect(await contents.read(accountId, stored.eventId)).toMatchObject({ state: 'stored' });
  });

  test('is stored for others while the file of one account hangs, and for that one afterwards', async () => {
    const [hung, abandoned, good] = [await newAccount(), await newAccount(), await newAccount()];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: whenStored, resolve: stored } = Promise.withResolvers<void>();
    const clock = new FakeClock();
    const stalled = new SegmentStore({
      database,
      blobs: {
        put: async (bytes, meta) => {
          if (meta.accountId !== good) await promise;
          const put = await blobs.put(bytes, meta);
          if (meta.accountId === good) stored();
          return put;
        },
      },
      seal,
      log: { warn: () => undefined },
      clock,
    });
    const batch = [content(hung, 'one'), content(abandoned, 'two'), content(good, 'three')];
    const storing = stalled.store(batch);
    await whenStored;
    await clock.advanceAsync(500);
    const { failed, late } = await storing;
    expect([failed.size, new Set(late.keys())]).toEqual([0, new Set([hung, abandoned])]);
    expect(await contents.read(good, batch[2]?.eventId ?? '')).toMatchObject({ state: 'stored' });
    late.get(abandoned)?.abandon();
    resolve();
    await Promise.all([...late.values()].map((each) => each.stored));
    expect(await contents.read(hung, batch[0]?.eventId ?? '')).toMatchObject({ state: 'stored' });
    expect(await contents.read(abandoned, batch[1]?.eventId ?? '')).toEqual({ state: 'none' });
  });

  test('is not stored where a person deletes it before', async () => {
    const accountId = await newAccount();
    const pending = { ...content(accountId, 'deleted before it is stored') };
    const row = usageRecord({ event_id: pending.eventId, account_id: accountId, content_level: 'full' });
    await new UsageStore(database, () => undefined).store(rowsJson([row]));
    const slow = new LoggedContentsService({
      database,
      blobs,
      seal,
      usage: new UsageService(database),
      flush: async () => false,
    });
    expect(await slow.read(accountId, pending.eventId)).toEqual({ state: 'pending' });
    await slow.delete(accountId, pending.eventId);
    await store.store([pending]);
    expect(await contents.read(accountId, pending.eventId)).toEqual({ state: 'deleted' });
    await expect(slow.delete(accountId, pending.eventId)).rejects.toMatchObject({ code: 'not_found' });
    const other = await newAccount();
    await expect(slow.delete(other, pending.eventId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is unreadable once it is deleted, also with its bytes at hand', async () => {
    const accountId = await newAccount();
    const [deleted, kept] = [content(accountId, 'deleted'), content(accountId, 'kept')];
    await store.store([deleted, kept]);
    await contents.delete(accountId, deleted.eventId);
    expect(await contents.read(accountId, deleted.eventId)).toEqual({ state: 'deleted' });
    expect(await contents.read(accountId, kept.eventId)).toMatchObject({ state: 'stored' });
    await expect(contents.delete(accountId, deleted.eventId)).rejects.toMatchObject({ code: 'not_found' });
    const rows = await database.query('select wrapped_key from logged_contents where event_id = $1', [deleted.eventId]);
    expect(rows).toEqual([{ wrapped_key: null }]);
  });

  test('is unreadable under another master key, or for another request', async () => {
    const owner = { accountId: await newAccount(), eventId: newEventIds().eventId };
    const segment = await seal.seal(owner.accountId, [{ eventId: owner.eventId, document: Buffer.from('text') }]);
    const [sealed] = contentsOf(segment);
    if (sealed === undefined) throw new Error('Nothing was sealed.');
    expect(seal.open(sealed, owner)?.toString()).toBe('text');
    expect(new ContentSeal('another').open(sealed, owner)).toBeNull();
    expect(seal.open(sealed, { ...owner, eventId: newEventIds().eventId })).toBeNull();
    expect(seal.open({ ...sealed, bytes: Buffer.from('short') }, owner)).toBeNull();
  });

  test('is stored for other accounts where that of one cannot be', async () => {
    const [broken, mixed, good] = [await newAccount(), await newAccount(), await newAccount()];
    const partial = new SegmentStore({
      clock: new FakeClock(),
      database,
      blobs: {
        put: (bytes, meta) =>
          meta.accountId === broken ? Promise.reject(new Error('disk full')) : blobs.put(bytes, meta),
      },
      seal,
      log: { warn: () => undefined },
    });
    const batch = [content(broken, 'one'), content(mixed, 'two'), content(good, 'three')];
    const refused = unstorable(mixed);
    const { failed, rejected } = await partial.store([...batch, refused]);
    expect([[...failed.keys()], [...rejected.keys()]]).toEqual([[broken], [refused.eventId]]);
    expect(await contents.read(good, batch[2]?.eventId ?? '')).toMatchObject({ state: 'stored' });
    expect(await contents.read(mixed, batch[1]?.eventId ?? '')).toMatchObject({ state: 'stored' });
  });

  test('is stored but for what the database refuses, also of a single account', async () => {
    const accountId = await newAccount();
    const stored = Array.from({ length: 20 }, (_, at) => content(accountId, `number ${at}`));
    const refused = [unstorable(accountId), unstorable(accountId)];
    const batch = [...stored.slice(0, 5), refused[0], ...stored.slice(5), refused[1]].filter(
      (each) => each !== undefined,
    );
    const { failed, rejected } = await store.store(batch);
    expect([failed.size, new Set(rejected.keys())]).toEqual([0, new Set(refused.map(({ eventId }) => eventId))]);
    for (const [at, { eventId }] of stored.entries())
      expect(await contents.read(accountId, eventId)).toMatchObject({
        document: { request: { text: `number ${at}` } },
      });
    for (const { eventId } of refused) expect(await contents.read(accountId, eventId)).toEqual({ state: 'none' });
  });

  test('is read where its key was encrypted by itself, as earlier versions did', () => {
    const accountId = '0190a000-0000-7000-8000-000000000001';
    const eventId = '0190a000-0000-7000-8000-000000000002';
    const earlier = {
      bytes: Buffer.from('AHcmRzMzkbH+vpBL9jzPvGNazAUSwMwKc3wxOP9Ko9sFb5+r3HEy2a2VNaQ=', 'base64'),
      wrappedKey: Buffer.from(
        'W8ASWuYvqPoWX2aNkY4aUc0vDNfuBOlXgT8U8QY9oJ4WubjApzHIxDmQL5T394aT/c+Fb48m2I8EwH6L',
        'base64',
      ),
    };
    expect(seal.open(earlier, { accountId, eventId })?.toString()).toBe('{"request":"stored before"}');
    expect(seal.open(earlier, { accountId, eventId: newEventIds().eventId })).toBeNull();
  });

  test('has a key of its own in each batch, of which none opens another content', async () => {
    const accountId = '0190a000-0000-7000-8000-000000000001';
    const contents = Array.from({ length: 500 }, (_, at) => ({
      eventId: newEventIds().eventId,
      document: Buffer.from(`document ${at} `.repeat(at)),
    }));
    const sealed = contentsOf(await seal.seal(accountId, contents));
    expect(sealed).toHaveLength(500);
    expect(new Set(sealed.map(({ wrappedKey }) => wrappedKey.subarray(-32).toString('hex'))).size).toBe(500);
    for (const [at, each] of sealed.entries()) {
      const { eventId = '', document } = contents[at] ?? {};
      expect(seal.open(each, { accountId, eventId })).toEqual(document);
      const next = sealed[(at + 1) % 500];
      if (next === undefined) throw new Error('There is no other.');
      expect(seal.open({ ...each, wrappedKey: next.wrappedKey }, { accountId, eventId })).toBeNull();
      expect(seal.open(next, { accountId, eventId })).toBeNull();
    }
  });

  test('is bound to its request, of ids of any length in one segment', async () => {
    const accountId = '0190a000-0000-7000-8000-000000000001';
    const ids = [
      '',
      'a',
      newEventIds().eventId,
      `${newEventIds().eventId}/12/3`,
      'é'.repeat(36),
      'x'.repeat(500),
      'b',
      '',
    ];
    const contents = ids.flatMap((eventId) =>
      ['short', 'long '.repeat(1_000)].map((text) => ({ eventId, document: Buffer.from(text) })),
    );
    const sealed = contentsOf(await seal.seal(accountId, contents));
    for (const [at, each] of sealed.entries()) {
      const { eventId = '', document } = contents[at] ?? {};
      expect(seal.open(each, { accountId, eventId })).toEqual(document);
      expect(seal.open(each, { accountId, eventId: `${eventId}a` })).toBeNull();
    }
  });

  test('expires after the days of its account, and its segment with it', async () => {
    const [brief, long] = [await newAccount(), await newAccount()];
    const now = new Date();
    const old = now.getTime() - 2 * DAY_MS;
    const [expired, recent, retained] = [content(brief, 'old', old), content(brief, 'new'), content(long, 'old', old)];
    await store.store([expired, recent, retained]);
    const retention = new ContentRetention(database, (accountId) => (accountId === brief ? 1 : 30));
    await retention.expireOld(new Date(now.getTime() + 1_000));
    expect(await contents.read(brief, expired.eventId)).toEqual({ state: 'expired' });
    expect(await contents.read(brief, recent.eventId)).toMatchObject({ state: 'stored' });
    expect(await contents.read(long, retained.eventId)).toMatchObject({ state: 'stored' });
    // Segments are kept for an hour after they are stored: their rows may follow.
    await database.query("update blobs set created_at = created_at - interval '2 hours' where account_id = $1", [
      brief,
    ]);
    await retention.expireOld(now);
    await blobs.sweep(new Date(now.getTime() + 1_000));
    expect(await segmentsOf(brief)).toHaveLength(1);
    expect(await contents.read(brief, recent.eventId)).toMatchObject({ state: 'stored' });
  });
});
