import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { UsageExport } from '../../../src/services/usage/export/usage-export.ts';
import { chosenColumns } from '../../../src/services/usage/export/export-columns.ts';
import { SortedUsage, type SortedPosition } from '../../../src/services/usage/sorted-usage.ts';
import type { FigureOrder, UsageOrder } from '../../../src/services/usage/usage-order.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const BEGIN = Date.UTC(2026, 5, 30, 23, 59, 50);

const figures: Readonly<Record<FigureOrder, (record: UsageRecord) => number>> = {
  cost_desc: (record) => -Number(record.cost_nano),
  cost_asc: (record) => Number(record.cost_nano),
  duration_desc: (record) => -record.duration_ms,
  duration_asc: (record) => record.duration_ms,
  tokens_desc: (record) => -(record.input_tokens + record.output_tokens),
  tokens_asc: (record) => record.input_tokens + record.output_tokens,
};
const orders: readonly FigureOrder[] = [
  'cost_desc',
  'cost_asc',
  'duration_desc',
  'duration_asc',
  'tokens_desc',
  'tokens_asc',
];

describeWithDatabase('the usage log by a figure', (databases) => {
  const account_id = randomUUID();
  // Every figure has ties, and the requests are of two months.
  const records = Array.from({ length: 24 }, (_, index) =>
    usageRecord({
      account_id,
      cost_nano: String((index * 7) % 5),
      duration_ms: (index * 5) % 7,
      input_tokens: (index * 11) % 4,
      output_tokens: index % 3,
      status: index % 2 === 0 ? 'failed' : 'succeeded',
      began_at: new Date(BEGIN + index * 1_000).toISOString(),
    }),
  );
  let database: Database;
  let sorted: SortedUsage;
  let store: UsageStore;

  beforeAll(async () => {
    database = await databases.open();
    sorted = new SortedUsage(database);
    store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([...records, usageRecord({ account_id: randomUUID(), cost_nano: '99' })]));
  });

  function inOrder(order: FigureOrder): string[] {
    const figure = figures[order];
    const sign = order.endsWith('_desc') ? 1 : -1;
    return records
      .toSorted((a, b) => figure(a) - figure(b) || sign * b.began_at.localeCompare(a.began_at))
      .map(({ event_id }) => event_id);
  }

  async function walk(order: FigureOrder, backwards: boolean): Promise<string[]> {
    const seen: string[] = [];
    let from: SortedPosition | null = null;
    for (let more = true; more;) {
      const page = await sorted.page(account_id, {}, order, { limit: 5, from, backwards });
      expect(page.rows.length).toBe(Math.min(5, records.length - seen.length));
      seen.push(...page.rows.map(({ row }) => row.eventId));
      from = page.rows.at(-1)?.position ?? null;
      more = page.hasMore;
    }
    return seen;
  }

  test.each(orders)('is paged by %s without gaps and repetitions, in both directions', async (order) => {
    expect(await walk(order, false)).toEqual(inOrder(order));
    expect(await walk(order, true)).toEqual(inOrder(order).toReversed());
  });

  test('is filtered', async () => {
    const page = await sorted.page(account_id, { status: 'failed' }, 'cost_desc', {
      limit: 100,
      from: null,
      backwards: false,
    });
    expect(page.rows).toHaveLength(12);
    expect(page.rows.every(({ row }) => row.status === 'failed')).toBe(true);
  });

  test('keeps its pages while new requests arrive', async () => {
    const options = { limit: 5, backwards: false };
    const other = randomUUID();
    const own = Array.from({ length: 8 }, (_, index) =>
      usageRecord({ account_id: other, cost_nano: '5', began_at: new Date(BEGIN + index * 1_000).toISOString() }),
    );
    await store.store(rowsJson(own));
    const first = await sorted.page(other, {}, 'cost_desc', { ...options, from: null });
    const late = usageRecord({ account_id: other, cost_nano: '1', began_at: new Date(BEGIN + 60_000).toISOString() });
    await store.store(rowsJson([late]));
    const from = first.rows.at(-1)?.position ?? null;
    const second = await sorted.page(other, {}, 'cost_desc', { ...options, from });
    expect([...first.rows, ...second.rows].map(({ row }) => row.eventId).toSorted()).toEqual(
      own.map(({ event_id }) => event_id).toSorted(),
    );
    expect(second.hasMore).toBe(false);
  });

  test.each([...orders, 'time_desc', 'time_asc'] satisfies UsageOrder[])('is exported by %s', async (order) => {
    const file = new UsageExport(database).file('csv', {
      accountId: account_id,
      order,
      columns: chosenColumns(['cost_usd', 'request_id']) ?? [],
    });
    const csv = await text(file);
    expect(csv.startsWith('cost_usd,request_id\r\n')).toBe(true);
    const byTime = records.map(({ event_id }) => event_id);
    const expected =
      order === 'time_asc' ? byTime : order === 'time_desc' ? byTime.toReversed() : inOrder(order as FigureOrder);
    expect(parseCsv(csv).map((row) => row.request_id)).toEqual(expected.map((id) => `req_${id.replaceAll('-', '')}`));
  });
});
