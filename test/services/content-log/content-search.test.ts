import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { redactionEngine } from '../../../src/gateway/content/redaction/redaction-engine.ts';
import { ContentLoggingService } from '../../../src/services/accounts/content-logging.service.ts';
import { ContentRetention } from '../../../src/services/content-log/content-retention.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import { LoggedContentsService } from '../../../src/services/content-log/logged-contents.service.ts';
import { SegmentStore } from '../../../src/services/content-log/segment-store.ts';
import { SortedUsage } from '../../../src/services/usage/sorted-usage.ts';
import { UsageService } from '../../../src/services/usage/usage.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const DAY_MS = 86_400_000;

describeWithDatabase('search in logged content', (databases) => {
  let database: Database;
  let folder: string;
  let store: SegmentStore;
  let contents: LoggedContentsService;
  let settings: ContentLoggingService;

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-search-'));
    const blobs = new BlobStore(database, folder);
    const seal = new ContentSeal('the master key of this test');
    store = new SegmentStore({ database, blobs, seal });
    const usage = new UsageService(database);
    contents = new LoggedContentsService({ database, blobs, seal, usage, flush: async () => true });
    settings = new ContentLoggingService({
      database,
      defaultLevel: 'off',
      engine: redactionEngine,
      changed: () => undefined,
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'With search' });
    await em.persist(account).flush();
    await settings.update(account.id, { level: 'full', search: true });
    return account.id;
  }

  /** Stores a request with its content. @returns its ID */
  async function log(accountId: string, searchText: string | null, at = Date.now()): Promise<string> {
    const record = usageRecord({ account_id: accountId, began_at: new Date(at).toISOString(), content_level: 'full' });
    const fail = (_row: unknown, error: unknown): never => {
      throw new Error('A row was not stored.', { cause: error });
    };
    await new UsageStore(database, fail).store(rowsJson([record]));
    const document = Buffer.from(JSON.stringify({ request: {}, response: null, error: null, isComplete: true }));
    await store.store([
      { eventId: record.event_id, accountId, content: { level: 'full', document, redactions: {}, searchText } },
    ]);
    return record.event_id;
  }

  async function found(accountId: string, text: string): Promise<string[]> {
    const { rows } = await new UsageService(database).logs(accountId, { text }, 100, null);
    const sorted = await new SortedUsage(database).page(accountId, { text }, 'cost_desc', {
      limit: 100,
      from: null,
      backwards: false,
    });
    const ids = rows.map(({ eventId }) => eventId);
    expect(sorted.rows.map(({ row }) => row.eventId).toSorted()).toEqual(ids.toSorted());
    return ids;
  }

  const textsOf = (accountId: string) =>
    database.query('select event_id from logged_texts where account_id = $1', [accountId]);

  test('finds words, phrases, alternatives and exclusions, in the account alone', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const ship = await log(account, 'The ship left Hamburg in March.');
    const train = await log(account, 'The train left Paris in March.');
    await log(other, 'The ship left Hamburg in March.');
    expect(await found(account, 'hamburg')).toEqual([ship]);
    expect((await found(account, 'left march')).toSorted()).toEqual([ship, train].toSorted());
    expect(await found(account, '"ship left"')).toEqual([ship]);
    expect(await found(account, '"left ship"')).toEqual([]);
    expect((await found(account, 'paris or hamburg')).toSorted()).toEqual([ship, train].toSorted());
    expect(await found(account, 'left -ship')).toEqual([train]);
    for (const odd of ["'", '":*', '!!! & |', 'a:b:*', '()', '\\', '" or -'])
      expect(await found(account, odd)).toBeInstanceOf(Array);
  });

  test('stores a text of any length and form', async () => {
    const account = await newAccount();
    const unique = Array.from({ length: 40_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
    const id = await log(account, `${unique} ${'x'.repeat(10_000)} marker`);
    expect(await found(account, 'marker')).toEqual([id]);
  });

  test('stores nothing where search is off', async () => {
    const account = await newAccount();
    await settings.update(account, { search: false });
    await log(account, 'Forgotten words');
    expect(await textsOf(account)).toEqual([]);
    expect(await found(account, 'forgotten')).toEqual([]);
  });

  test('deletes what was stored when search, or content logging, is turned off', async () => {
    const [one, two, other] = [await newAccount(), await newAccount(), await newAccount()];
    const ids = await Promise.all([one, two, other].map((account) => log(account, 'Plain words')));
    await settings.update(one, { search: false });
    await settings.update(two, { level: 'off' });
    expect([await textsOf(one), await textsOf(two)]).toEqual([[], []]);
    expect(await found(other, 'plain')).toEqual([ids[2]]);
    // The content itself remains.
    expect(await contents.read(one, ids[0] ?? '')).toMatchObject({ state: 'stored' });
    const account = await database.em().findOneOrFail(Account, { id: two });
    expect(settings.of(account).search).toBe(false);
    await expect(settings.update(two, { search: true })).rejects.toMatchObject({ code: 'bad_user_input' });
  });

  test('deletes the words of content that is deleted or expires', async () => {
    const account = await newAccount();
    const [deleted, expired, recent] = [
      await log(account, 'Same words'),
      await log(account, 'Same words', Date.now() - 2 * DAY_MS),
      await log(account, 'Same words'),
    ];
    await contents.delete(account, deleted);
    expect((await found(account, 'same')).toSorted()).toEqual([expired, recent].toSorted());
    await new ContentRetention(database, () => 1).expireOld(new Date());
    expect(await textsOf(account)).toEqual([{ event_id: recent }]);
    expect(await contents.read(account, expired)).toEqual({ state: 'expired' });
  });

  test('deletes the words of an account that is erased', async () => {
    const account = await newAccount();
    await log(account, 'Same words');
    // As erasure does.
    await database.query('delete from logged_contents where account_id = $1', [account]);
    expect(await textsOf(account)).toEqual([]);
  });

  test('stores no words after search was turned off, when both happen at once', async () => {
    const account = await newAccount();
    await Promise.all([
      ...Array.from({ length: 8 }, () => log(account, 'Racing words')),
      settings.update(account, { search: false }),
    ]);
    expect(await textsOf(account)).toEqual([]);
  });
});
