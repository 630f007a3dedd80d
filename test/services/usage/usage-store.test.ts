import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account, ApiKey, UsageLog } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

describeOnEachDatabase('the usage store', (databases) => {
  let database: Database;
  beforeAll(async () => {
    database = await databases.open();
  });

  function neverRejects(): UsageStore {
    return new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
  }

  function stored(records: readonly UsageRecord[]): Promise<UsageLog[]> {
    return database.em().find(UsageLog, { eventId: { $in: records.map((record) => record.event_id) } });
  }

  test('reports unpriced requests once they are stored', async () => {
    const store = neverRejects();
    const told: unknown[] = [];
    store.onUnpriced = (rows) => void told.push(...rows);
    await store.store(rowsJson([usageRecord()]));
    expect(told).toEqual([]);
    const { model, price_version, ...own } = usageRecord({ model: 'openai/of-tomorrow', price_version: 'unpriced' });
    await store.store(rowsJson([{ ...own, of_route: 7 }]), JSON.stringify([{ common: 7, model, price_version }]));
    expect(told).toEqual([expect.objectContaining({ account_id: own.account_id, model, price_version: 'unpriced' })]);
  });

  test('stores every value of a record exactly', async () => {
    const trace = { session_id: 'run "7"', parent_id: 'plan', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' };
    const record = usageRecord(trace);
    await neverRejects().store(rowsJson([record]));
    const [row] = await stored([record]);
    expect(row).toMatchObject({
      eventId: record.event_id,
      beganAt: new Date(record.began_at),
      accountId: record.account_id,
      memberId: null,
      costNano: 9_007_199_254_740_993n,
      rates: record.rates,
      units: record.units,
      tags: record.tags,
      sessionId: trace.session_id,
      parentId: trace.parent_id,
      traceId: trace.trace_id,
      attempts: record.attempts,
      firstTokenMs: 120,
      streamed: true,
    });
    expect(row?.settledAt).toBeInstanceOf(Date);
  });

  test('completes records from what they reference, without replacing their own values', async () => {
    const whole = [usageRecord(), usageRecord({ rates: { input: '9', output: '9' }, markup_ppm: 50_000 })];
    const commons: object[] = [{ common: 0, model: 'not/referred-to' }];
    const referring = whole.map((record) => {
      const { account_id, api_key_id, member_id, markup_ppm, ...rest } = record;
      const { capability, model, requested_model, provider, streamed, price_version, rates, ...own } = rest;
      const [of_key, of_route] = [commons.length, commons.length + 1];
      commons.push(
        { common: of_key, account_id, api_key_id, member_id, markup_ppm },
        {
          common: of_route,
          capability,
          model,
          requested_model,
          provider,
          streamed,
          price_version,
          rates: { input: '1' },
        },
      );
      return { ...own, of_key, of_route, rates };
    });
    await neverRejects().store(Buffer.from(JSON.stringify(referring)), JSON.stringify(commons));
    const rows = await stored(whole);
    const values = whole.map((record) => ({
      eventId: record.event_id,
      accountId: record.account_id,
      apiKeyId: record.api_key_id,
      capability: record.capability,
      model: record.model,
      requestedModel: record.requested_model,
      provider: record.provider,
      streamed: record.streamed,
      priceVersion: record.price_version,
      rates: record.rates,
      markupPpm: record.markup_ppm ?? null,
    }));
    expect(rows).toHaveLength(whole.length);
    expect(rows).toEqual(expect.arrayContaining(values.map((value) => expect.objectContaining(value))));
  });

  test('reports a record that cannot be stored, completed by what it references, and stores the rest', async () => {
    const { account_id, ...own } = usageRecord();
    const [bad, lost] = [
      { ...own, event_id: 'nonsense', of_key: 3 },
      { ...own, of_key: 4 },
    ];
    const good = usageRecord();
    const { account_id: accountId, ...goodOwn } = good;
    const commons = [
      { common: 3, account_id },
      { common: 5, account_id: accountId },
    ];
    const told: unknown[] = [];
    const store = new UsageStore(database, (row) => told.push(row));
    await store.store(Buffer.from(JSON.stringify([bad, { ...goodOwn, of_key: 5 }, lost])), JSON.stringify(commons));
    expect(told).toEqual(JSON.parse(JSON.stringify([{ ...own, account_id, event_id: 'nonsense' }, lost])));
    expect(await stored([good])).toHaveLength(1);
  });

  test('stores the times of a request, and null for records of earlier versions, which lack them', async () => {
    const older = usageRecord();
    const record = usageRecord({ admitted_ms: 0, last_output_ms: 1_490 });
    await neverRejects().store(rowsJson([older, record]));
    const rows = await stored([older, record]);
    const timesOf = (id: string) => {
      const row = rows.find(({ eventId }) => eventId === id);
      return [row?.admittedMs, row?.lastOutputMs, row?.durationMs];
    };
    expect(timesOf(older.event_id)).toEqual([null, null, 1500]);
    expect(timesOf(record.event_id)).toEqual([0, 1_490, 1500]);
  });

  test('stores a record once, however often and with whatever others it arrives', async () => {
    const [first, second] = [usageRecord(), usageRecord()];
    const store = neverRejects();
    await store.store(rowsJson([first, first]));
    await store.store(rowsJson([first, second]));
    await Promise.all([store.store(rowsJson([second])), store.store(rowsJson([first]))]);
    expect(await stored([first, second])).toHaveLength(2);
  });

  test('stores the rows around a corrupt one, and reports that one', async () => {
    const records = [usageRecord(), usageRecord(), usageRecord()];
    const texts = records.map((record) => JSON.stringify(record));
    const reported: unknown[] = [];
    const store = new UsageStore(database, (row) => reported.push(row));
    const corrupt = texts[1]?.replace('"began_at":"', '"began_at":"\u0001\u0000') ?? '';
    await store.store(Buffer.from(`[${texts[0]},${corrupt},${texts[2]}]`));
    expect(reported).toEqual([corrupt]);
    expect((await stored(records)).map(({ eventId }) => eventId).toSorted()).toEqual(
      [records[0]?.event_id, records[2]?.event_id].toSorted(),
    );
  });

  test('stores each record in the partition of its month in UTC, creating missing ones', async () => {
    const records = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2025-12-31T23:30:00.000Z'].map(
      (began_at) => usageRecord({ began_at }),
    );
    await neverRejects().store(rowsJson(records));
    const places = await database.query<{ event_id: string; partition: string }>(
      'select event_id, tableoid::regclass::text as partition from usage_logs where event_id = any($1)',
      [records.map((record) => record.event_id)],
    );
    expect(Object.fromEntries(places.map(({ event_id, partition }) => [event_id, partition]))).toEqual({
      [records[0]?.event_id ?? '']: 'usage_logs_2026_01',
      [records[1]?.event_id ?? '']: 'usage_logs_2026_02',
      [records[2]?.event_id ?? '']: 'usage_logs_2025_12',
    });
  });

  test('creates a month once for concurrent writers', async () => {
    const records = Array.from({ length: 8 }, () => usageRecord({ began_at: '2024-05-05T05:05:05.005Z' }));
    const store = neverRejects();
    await Promise.all(records.map((record) => store.store(rowsJson([record]))));
    expect(await stored(records)).toHaveLength(8);
  });

  test('accepts concurrent batches in any order', async () => {
    const em = database.em();
    const accounts = [1, 2, 3].map((n) => em.create(Account, { name: `Busy ${n}` }));
    const keys = accounts.flatMap((account) =>
      [1, 2, 3, 4].map((n) =>
        em.create(ApiKey, { account, name: 'k', hint: 'sk-…', secretHmac: Buffer.from(`${account.id} ${n}`) }),
      ),
    );
    await em.persist([...accounts, ...keys]).flush();
    const store = neverRejects();
    const began = Date.parse('2026-04-01T00:00:00Z');
    for (let round = 0; round < 10; round++) {
      const batches = [1, 2, 3].map((writer) =>
        Array.from({ length: 60 }, (_, at) => {
          const key = keys[(at * (writer + 4) + round) % keys.length];
          return usageRecord({
            account_id: key?.account.id ?? '',
            api_key_id: key?.id ?? '',
            model: `m/${(at * writer) % 7}`,
            began_at: new Date(began + round * 60_000 + at).toISOString(),
            // Half of them change no balance, which would order them.
            cost_nano: round % 2 === 0 ? '0' : '5',
          });
        }),
      );
      await Promise.all(batches.map((batch) => store.store(rowsJson(batch))));
    }
    const [sums] = await database.query<{ requests: string; cost: string }>(
      'select sum(requests) as requests, sum(cost_nano) as cost from usage_rollups where account_id = any($1::uuid[]) and by_key and span = 15',
      [accounts.map(({ id }) => id)],
    );
    expect([Number(sums?.requests), Number(sums?.cost)]).toEqual([1_800, 4_500]);
  });

  test.each([
    ['text that the database cannot store', { finish_reason: 'a\u0000b' }],
    ['a count out of range', { input_tokens: 3_000_000_000 }],
    ['an impossible time', { began_at: '9999-01-01T00:00:00.000Z' }],
    ['an invalid id', { event_id: 'nonsense' }],
    ['a missing value', { model: undefined }],
  ])('rejects a record with %s and stores the rest', async (_what, fault) => {
    const good = Array.from({ length: 6 }, () => usageRecord());
    const bad = { ...usageRecord(), ...fault };
    const rejected: unknown[] = [];
    const store = new UsageStore(database, (row) => rejected.push(row));
    await store.store(rowsJson([...good.slice(0, 4), bad, ...good.slice(4)]));
    expect(rejected).toEqual([JSON.parse(JSON.stringify(bad))]);
    expect(await stored(good)).toHaveLength(6);
  });

  test('moves the last use of keys forward, never back', async () => {
    const em = database.em();
    const account = em.create(Account, { name: 'Keys in use' });
    const key = em.create(ApiKey, { account, name: 'k', hint: 'sk-…', secretHmac: Buffer.from('in use') });
    await em.persist([account, key]).flush();
    const used = { account_id: account.id, api_key_id: key.id };
    const newest = usageRecord({ ...used, began_at: '2026-03-03T12:00:00.000Z' });
    const store = neverRejects();
    await store.store(rowsJson([usageRecord({ ...used, began_at: '2026-03-01T12:00:00.000Z' }), newest]));
    await store.store(rowsJson([usageRecord({ ...used, began_at: '2026-03-02T12:00:00.000Z' })]));
    // A charge that is billed after its request is not a use of the key.
    const bill = { ...used, began_at: '2026-03-04T12:00:00.000Z', units: { requests: 0 } };
    await store.store(rowsJson([usageRecord(bill)]));
    const { lastUsedAt } = await database.em().findOneOrFail(ApiKey, key.id);
    expect(lastUsedAt).toEqual(new Date(newest.began_at));
  });
});
