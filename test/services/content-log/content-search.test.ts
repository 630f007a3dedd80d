import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { redactionEngine } from '../../../src/gateway/content/redaction/redaction-engine.ts';
import { searchTextOf } from '../../../src/gateway/content/search-text.ts';
import { ContentLoggingService } from '../../../src/services/accounts/content-logging.service.ts';
import { ContentRetention } from '../../../src/services/content-log/content-retention.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import { LoggedContentsService } from '../../../src/services/content-log/logged-contents.service.ts';
import { SegmentStore } from '../../../src/services/content-log/segment-store.ts';
import { TextKeys } from '../../../src/services/content-log/text-keys.ts';
import { numbered } from '../../../src/services/row-condition.ts';
import { UsageExport } from '../../../src/services/usage/export/usage-export.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { latestMatches } from '../../../src/services/usage/latest-matches.ts';
import { RequestSessions } from '../../../src/services/usage/sessions/request-sessions.ts';
import { SortedUsage } from '../../../src/services/usage/sorted-usage.ts';
import { usageConditions, type UsageLogFilter } from '../../../src/services/usage/usage-conditions.ts';
import { UsageService, type UsagePage } from '../../../src/services/usage/usage.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const DAY_MS = 86_400_000;

/** A text of so many UTF-16 units, in which each part of a compound is a word besides the whole. */
function hyphenated(length: number): string {
  const han = (at: number): string => String.fromCodePoint(0x4e00 + (Math.floor(at) % 20_000));
  return distinct(length / 6, (at) => `${han(at)}${han(at / 20_000)}-${han(at)}${han(at / 20_000 + 7)} `);
}

function distinct(count: number, word: (at: number) => string): string {
  return Array.from({ length: Math.ceil(count) }, (_, at) => word(at)).join('');
}

function letters(at: number, length: number): string {
  return `a${at.toString(36).padStart(length - 1, 'a')}`.slice(-length);
}

function twoOf(at: number, alphabet: string): string {
  const letter = (digit: number): string => alphabet.charAt(digit % 3) + String.fromCodePoint(0x430 + (digit % 30));
  return `${letter(at)}${letter(Math.floor(at / 30))}${letter(Math.floor(at / 900))}`;
}

describeWithDatabase('search in logged content', (databases) => {
  let database: Database;
  let folder: string;
  let store: SegmentStore;
  let contents: LoggedContentsService;
  let settings: ContentLoggingService;
  let warnings: unknown[] = [];

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-search-'));
    const blobs = new BlobStore(database, folder);
    const seal = new ContentSeal('the master key of this test');
    store = new SegmentStore({
      clock: new FakeClock(),
      database,
      blobs,
      seal,
      log: { warn: (fields, message) => warnings.push([fields, message]) },
    });
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
    return String(await logAll([{ accountId, searchText }], at));
  }

  /** Stores requests with their content in one batch. @returns their IDs */
  async function logAll(
    requests: readonly {
      readonly accountId: string;
      readonly searchText: string | null;
      readonly at?: number;
      readonly session?: string;
      readonly status?: 'succeeded' | 'failed';
    }[],
    common = Date.now(),
  ): Promise<string[]> {
    const document = Buffer.from(JSON.stringify({ request: {}, response: null, error: null, isComplete: true }));
    const logged = requests.map(
      ({ accountId, searchText, at = common, session = null, status = 'succeeded' as const }) => {
        const facts = { account_id: accountId, began_at: new Date(at).toISOString(), session_id: session, status };
        const record = usageRecord({ ...facts, content_level: 'full', cost_nano: '5' });
        const content = { level: 'full' as const, document, redactions: {}, searchText };
        return { record, finished: { eventId: record.event_id, accountId, ...content } };
      },
    );
    const fail = (_row: unknown, error: unknown): never => {
      throw new Error('A row was not stored.', { cause: error });
    };
    await new UsageStore(database, fail).store(rowsJson(logged.map(({ record }) => record)));
    await store.store(logged.map(({ finished }) => finished));
    return logged.map(({ record }) => record.event_id);
  }

  async function found(accountId: string, words: string, filter: UsageLogFilter = {}): Promise<string[]> {
    const { rows } = await new UsageService(database).logs(accountId, { text: words, ...filter }, 100, null);
    const sorted = await new SortedUsage(database).page(accountId, { text: words, ...filter }, 'cost_desc', {
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

  test('narrows rows, totals, charts and exports alike', async () => {
    const account = await newAccount();
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const ships = [await log(account, 'The ship left', hour - 2 * DAY_MS), await log(account, 'A ship came', hour)];
    await log(account, 'The train left', hour);
    await log(account, null, hour);
    expect((await found(account, 'ship')).toSorted()).toEqual(ships.toSorted());
    const filter = { text: 'ship' };
    const range = { from: new Date(hour - 3 * DAY_MS), to: new Date(hour + DAY_MS) };
    const report = await new UsageReporter(database).report(account, {
      ...range,
      interval: 'day',
      groupBy: ['model'],
      filter,
      latency: true,
      limit: 100,
    });
    expect([report.total.requests, report.groups.map(({ requests }) => requests)]).toEqual([2, [1, 1]]);
    for (const order of ['time_asc', 'time_desc', 'cost_desc'] as const) {
      const file = await text(new UsageExport(database).file('jsonl', { accountId: account, ...filter, order }));
      for (const id of ships) expect(file).toContain(id.replaceAll('-', ''));
      expect(file.trim().split('\n')).toHaveLength(2);
    }
    expect(await found(account, 'ship', { from: new Date(hour - 1) })).toEqual([ships[1]]);
    expect(await found(account, 'ship', { to: new Date(hour - 1) })).toEqual([ships[0]]);
  });

  test('covers the latest requests in totals where more match, and says since when', async () => {
    const account = await newAccount();
    const now = Date.now();
    const moments = Array.from({ length: 12 }, (_, at) => now - (12 - at) * 3_600_000);
    await logAll(
      moments.map((at, place) => ({
        accountId: account,
        searchText: place % 2 === 0 ? 'even word' : 'word',
        at,
        status: place < 6 ? ('failed' as const) : ('succeeded' as const),
      })),
    );
    const query = {
      from: new Date(now - 2 * DAY_MS),
      to: new Date(now),
      interval: 'hour' as const,
      groupBy: ['model' as const],
      latency: false,
      limit: 100,
    };
    const from = Math.floor(query.from.getTime() / 900_000) * 900_000;
    for (const [filter, expected] of [
      [{ text: 'word' }, [4, moments[8]]],
      [{ text: 'even' }, [4, moments[4]]],
      [{ text: 'even', status: 'failed' as const }, [3, from]],
      [{ text: 'even', status: 'succeeded' as const }, [3, from]],
      [{ text: 'word', status: 'failed' as const }, [4, moments[2]]],
      [{ text: 'word', status: 'failed' as const, model: [] }, [0, from]],
      [{ text: 'absent' }, [0, from]],
      [{ status: 'failed' as const }, [6, from]],
    ] as const) {
      const report = await new UsageReporter(database, 4).report(account, { ...query, filter });
      expect([report.total.requests, report.coveredFrom.getTime()], JSON.stringify(filter)).toEqual(expected);
      expect(report.groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(expected[0]);
      expect(
        report.groups.every(({ start }) => start !== null && start.getTime() > Number(expected[1]) - 3_600_000),
      ).toBe(true);
    }
  });

  test('lists the sessions of the latest requests that match, page by page and in both directions', async () => {
    const account = await newAccount();
    const now = Date.now();
    const requests = [
      ['a', 'ship'],
      ['b', 'ship'],
      ['c', 'train'],
      ['b', 'ship'],
      [undefined, 'ship'],
      ['d', 'ship'],
      ['a', 'train'],
    ] as const;
    const moments = requests.map((_, at) => now - (requests.length - at) * 60_000);
    await logAll(
      requests.map(([session, searchText], at) => ({
        accountId: account,
        searchText,
        at: moments[at] ?? now,
        ...(session !== undefined && { session }),
      })),
    );
    const listed = async (max: number, backwards: boolean, filter: UsageLogFilter = {}): Promise<string[]> => {
      const sessions = new RequestSessions(database, max);
      const ids: string[] = [];
      let from: { beganAt: Date; eventId: string } | null = null;
      for (;;) {
        const page = await sessions.page(account, { text: 'ship', ...filter }, 1, from, backwards);
        ids.push(...page.rows.map(({ session }) => `${session.sessionId} ${session.requests}`));
        from = page.rows.at(-1)?.position ?? null;
        if (!page.hasMore) return ids;
      }
    };
    expect(await listed(100, false)).toEqual(['d 1', 'b 2', 'a 2']);
    expect(await listed(100, true)).toEqual(['a 2', 'b 2', 'd 1']);
    expect(await listed(2, false)).toEqual(['d 1', 'b 2']);
    expect(await listed(100, false, { from: new Date(moments[1] ?? 0) })).toEqual(['d 1', 'b 2']);
    expect(await listed(100, false, { to: new Date(moments[3] ?? 0) })).toEqual(['b 2', 'a 2']);
    expect(await listed(100, false, { status: 'failed' })).toEqual([]);
    expect(await listed(100, false, { text: 'absent' })).toEqual([]);
  });

  test('lists the newest first, page by page and in both directions, however frequent the words are', async () => {
    const account = await newAccount();
    const now = Date.now();
    const start = now - 40 * DAY_MS;
    const texts = Array.from({ length: 2_600 }, (_, at) =>
      [
        'all',
        at % 2 === 0 ? 'half' : 'other',
        at % 300 === 7 ? 'rare' : '',
        at < 30 ? 'early' : '',
        at === 0 ? 'once' : '',
      ].join(' '),
    );
    const hasFailed = (at: number): boolean => at % 7 < 2;
    const ids: string[] = [];
    for (let at = 0; at < texts.length; at += 400) {
      const moments = texts.slice(at, at + 400).map((searchText, place) => ({
        accountId: account,
        searchText,
        // Most on the last day.
        at: at + place < 800 ? start + (at + place) * 3_600_000 : now - (texts.length - at - place) * 20_000,
        status: hasFailed(at + place) ? ('failed' as const) : ('succeeded' as const),
      }));
      ids.push(...(await logAll(moments)));
    }
    const usage = new UsageService(database);
    for (const words of ['all', 'half', 'rare', 'early', 'once', 'rare or once', 'half -all', 'half other']) {
      const isFound = (searchText: string): boolean => {
        const has = (word: string): boolean => searchText.split(' ').includes(word);
        if (words === 'rare or once') return has('rare') || has('once');
        return words !== 'half -all' && words !== 'half other' && has(words);
      };
      const all = ids.filter((_, at) => isFound(texts[at] ?? '')).toReversed();
      const failed = new Set(ids.filter((_, at) => hasFailed(at)));
      for (const [backwards, status] of [
        [false, undefined],
        [true, undefined],
        [false, 'failed'],
        [true, 'failed'],
      ] as const) {
        const expected = status === undefined ? all : all.filter((id) => failed.has(id));
        const pages: string[] = [];
        let from: { beganAt: Date; eventId: string } | null = null;
        for (let count = 0; count < 4; count++) {
          const page: UsagePage = await usage.logs(account, { text: words, status }, 60, from, backwards);
          pages.push(...page.rows.map(({ eventId }) => eventId));
          const last = page.rows.at(-1);
          if (!page.hasMore || last === undefined) break;
          from = last;
        }
        const inOrder = backwards ? expected.toReversed() : expected;
        expect(pages, `${words} ${status}`).toEqual(inOrder.slice(0, 240));
      }
      const file = await text(new UsageExport(database).file('csv', { accountId: account, text: words }));
      expect(file.trim().split('\r\n')).toHaveLength(all.length + 1);
      for (const [limit, status] of [
        [7, undefined],
        [7, 'failed'],
        [600, undefined],
        [600, 'failed'],
        [10_000, undefined],
      ] as const) {
        const expected = status === undefined ? all : all.filter((id) => failed.has(id));
        const conditions = usageConditions(account, { status }) ?? [];
        const latest = await latestMatches(database, { accountId: account, words }, {}, conditions, limit);
        const values: unknown[] = [account];
        const rows = await database.query<{ event_id: string }>(
          `select event_id from usage_logs where account_id = $1${numbered(latest.conditions, values)} order by began_at desc`,
          values,
        );
        expect(rows.map(({ event_id }) => event_id)).toEqual(expected.slice(0, limit));
        expect(latest.hasMore, `${words} ${limit} ${status}`).toBe(expected.length > limit);
      }
    }
  });

  test('finds what was stored without keys, before and after a job adds them', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    const [ship] = [await log(account, 'An old ship'), await log(other, 'An old ship')];
    const train = await log(account, 'A train');
    await database.query(
      "update logged_texts set document = to_tsvector('simple', 'An old ship'), is_keyed = false where event_id = $1",
      [ship],
    );
    for (const keyed of [1, 0]) {
      expect(await found(account, 'ship')).toEqual([ship]);
      expect(await found(account, 'old -train')).toEqual([ship]);
      expect(await found(account, '-ship')).toEqual([train]);
      expect(await new TextKeys(database).add()).toBe(keyed);
    }
  });

  test('finds nothing of another account, whatever the words are', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    await log(other, 'The ship left Hamburg');
    const day = Math.floor(Date.now() / DAY_MS);
    for (const words of [other, `" ${other}"`, `' ${other}'`, `" ${other} ${day}"`, `ship or ${other}`, '', ' ', '-x'])
      expect(await found(account, words)).toEqual([]);
    await expect(log(account, `${other} ${day}`)).resolves.toBeTypeOf('string');
  });

  test('stores a text of any length and form', async () => {
    const account = await newAccount();
    const unique = Array.from({ length: 40_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
    const id = await log(account, `${unique} ${'x'.repeat(10_000)} marker`);
    expect(await found(account, 'marker')).toEqual([id]);
  });

  test('leaves out words that PostgreSQL does not take, and stores those of other accounts in the batch', async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    warnings = [];
    const before = store.unsearchableCount;
    const poison = `poison ${hyphenated(200_000)}`;
    const [ship, refused, train] = await logAll([
      { accountId: other, searchText: 'The ship left Hamburg' },
      { accountId: account, searchText: poison },
      { accountId: account, searchText: 'The train left Paris' },
    ]);
    expect([await found(other, 'hamburg'), await found(account, 'paris')]).toEqual([[ship], [train]]);
    expect(await textsOf(account)).toEqual([{ event_id: train }]);
    for (const [owner, id] of [
      [other, ship],
      [account, refused],
      [account, train],
    ])
      expect(await contents.read(owner ?? '', id ?? '')).toMatchObject({ state: 'stored' });
    expect(store.unsearchableCount).toBe(before + 1);
    // 54000: program_limit_exceeded.
    expect(warnings).toEqual([[{ event: refused, code: '54000' }, expect.stringContaining('words')]]);
  });

  test.each([
    ['compounds of Chinese words', hyphenated(400_000)],
    ['short compounds', distinct(100_000, (at) => `${letters(at * 2, 3)}-${letters(at * 2 + 1, 3)} `)],
    ['short words', distinct(200_000, (at) => `${letters(at, 3)} `)],
    ['addresses', distinct(100_000, (at) => `${letters(at, 4)}.de/${letters(at, 4)} `)],
    ['words that are longer in lower case', distinct(100_000, (at) => `${twoOf(at, 'ȺȾİ')}-${twoOf(at + 1, 'ȺȾİ')} `)],
    ['words of four bytes a letter', distinct(60_000, (at) => `${String.fromCodePoint(0x20000 + (at % 40_000))}-𠀀 `)],
    ['the same word', 'a '.repeat(200_000)],
    ['numbers with signs', distinct(100_000, (at) => `-${at}-`)],
  ])('takes as many words as are given of a text: %s', async (_, text) => {
    const account = await newAccount();
    const document = { request: { input: text }, response: { output: text }, error: null, isComplete: true };
    const id = await log(account, searchTextOf(document));
    expect(await textsOf(account)).toEqual([{ event_id: id }]);
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
