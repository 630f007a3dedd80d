import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { UsageService, type UsagePosition } from '../../../src/services/usage/usage.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

describeWithDatabase('the usage log', (databases) => {
  const account_id = randomUUID();
  const api_key_id = randomUUID();
  // Three at a time, across a change of month: neither ties nor partitions may lose or repeat a row.
  const records = Array.from({ length: 24 }, (_, index) =>
    usageRecord({
      account_id,
      api_key_id: index % 2 === 0 ? api_key_id : randomUUID(),
      status: index % 4 === 0 ? 'failed' : 'succeeded',
      began_at: new Date(Date.UTC(2026, 5, 30, 23, 59, 56) + Math.floor(index / 3) * 1_000).toISOString(),
    }),
  );
  let database: Database;
  let usage: UsageService;

  beforeAll(async () => {
    database = await databases.open();
    usage = new UsageService(database);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([...records, usageRecord({ account_id: randomUUID() })]));
  });

  test('is paged newest first, without gaps, repetitions and rows of other accounts', async () => {
    const seen: string[] = [];
    let after: UsagePosition | null = null;
    for (let more = true; more;) {
      const page = await usage.logs(account_id, {}, 5, after);
      expect(page.rows.length).toBe(Math.min(5, records.length - seen.length));
      seen.push(...page.rows.map((row) => row.eventId));
      after = page.rows.at(-1) ?? null;
      more = page.hasMore;
    }
    const newestFirst = records.toSorted(
      (a, b) => b.began_at.localeCompare(a.began_at) || b.event_id.localeCompare(a.event_id),
    );
    expect(seen).toEqual(newestFirst.map((record) => record.event_id));
  });

  test('is filtered by key, status and time', async () => {
    const from = new Date('2026-07-01T00:00:00.000Z');
    const { rows } = await usage.logs(account_id, { apiKeyId: api_key_id, status: 'failed', from }, 100, null);
    const expected = records.filter(
      (record) => record.api_key_id === api_key_id && record.status === 'failed' && new Date(record.began_at) >= from,
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.eventId).sort()).toEqual(expected.map((record) => record.event_id).sort());
    expect(rows[0]).toMatchObject({ accountId: account_id, apiKeyId: api_key_id, memberId: null });
  });

  test('shows a row only to its own account', async () => {
    const id = records[7]?.event_id ?? '';
    expect(await usage.log(account_id, id)).toMatchObject({ eventId: id });
    expect(await usage.log(randomUUID(), id)).toBeNull();
    expect(await usage.log(account_id, randomUUID())).toBeNull();
  });

  test('returns nothing for invalid ids and times', async () => {
    for (const id of [
      '',
      'x',
      'ffffffff-ffff-7fff-8fff-ffffffffffff',
      "' or true --",
      `${records[0]?.event_id ?? ''}x`,
    ])
      expect(await usage.log(account_id, id)).toBeNull();
    const ever = { from: new Date(-8.64e15), to: new Date(8.64e15) };
    expect((await usage.logs(account_id, ever, 100, null)).rows).toHaveLength(records.length);
    expect(await usage.logs(account_id, { apiKeyId: 'x' }, 5, null)).toEqual({ rows: [], hasMore: false });
  });
});
