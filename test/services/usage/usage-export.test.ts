import { randomUUID } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, test } from 'vitest';
import { formatUsd } from '../../../src/catalogue/prices/price.ts';
import type { Database } from '../../../src/database/database.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { exportColumns } from '../../../src/services/usage/export/export-columns.ts';
import { UsageExport } from '../../../src/services/usage/export/usage-export.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { arbitraryUsage, costOf } from './arbitrary-usage.ts';
import { parseCsv } from '../../harness/parse-csv.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const FROM = Date.UTC(2026, 5, 29);

describeWithDatabase('a usage export', (databases) => {
  const accountId = randomUUID();
  let database: Database;
  let usage: UsageExport;
  /** More than one page, in the order of the file. */
  let records: readonly UsageRecord[] = [];

  beforeAll(async () => {
    database = await databases.open();
    usage = new UsageExport(database);
    const [some = []] = fc.sample(
      fc.array(arbitraryUsage([accountId, randomUUID()], [randomUUID()], FROM), { minLength: 4_500, maxLength: 4_500 }),
      { numRuns: 1, seed: 3 },
    );
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    for (let at = 0; at < some.length; at += 500) await store.store(rowsJson(some.slice(at, at + 500)));
    records = some
      .filter((record) => record.account_id === accountId)
      .toSorted((a, b) => a.began_at.localeCompare(b.began_at) || a.event_id.localeCompare(b.event_id));
    expect(records.length).toBeGreaterThan(2_000);
  });

  const requestIds = (): string[] => records.map(({ event_id }) => `req_${event_id.replaceAll('-', '')}`);

  test('contains each row of the account once as CSV, oldest first', async () => {
    const csv = parseCsv(await text(usage.file('csv', { accountId })));
    expect(csv.map((row) => row.request_id)).toEqual(requestIds());
    const [first] = records;
    expect(Object.keys(csv[0] ?? {})).toEqual(exportColumns.map(({ name }) => name));
    expect(csv[0]).toMatchObject({
      created_at: first?.began_at,
      cost_usd: formatUsd(BigInt(first?.cost_nano ?? 0)),
      streamed: 'true',
      member_id: first?.member_id ?? '',
      input_tokens: String(first?.input_tokens),
      tags: first?.tags ? expect.stringMatching(/^\{/) : '',
    });
  });

  test('escapes formulas and quotes in CSV', async () => {
    const account_id = randomUUID();
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const users = ['=cmd|A0', '+1', '-1', '@x', '\tx', '\rx', 'a"b', 'a,b', 'a\r\nb', 'plain', ''];
    const rows = users.map((end_user, index) =>
      usageRecord({ account_id, end_user, began_at: new Date(FROM + index).toISOString() }),
    );
    await store.store(rowsJson(rows));
    const file = await text(usage.file('csv', { accountId: account_id }));
    expect(parseCsv(file).map((row) => row.end_user)).toEqual([
      "'=cmd|A0",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      "'\rx",
      'a"b',
      'a,b',
      'a\r\nb',
      'plain',
      '',
    ]);
    expect(file).toContain(',"a""b",');
    expect(file.endsWith('\r\n')).toBe(true);
  });

  test('contains the same rows as JSON Lines, with exact costs', async () => {
    const lines = (await text(usage.file('jsonl', { accountId }))).trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line));
    expect(parsed.map((row) => row.request_id)).toEqual(requestIds());
    for (const [index, row] of parsed.slice(0, 50).entries())
      expect(row).toMatchObject({
        cost_usd: formatUsd(BigInt(records[index]?.cost_nano ?? 0)),
        tags: records[index]?.tags ?? null,
        end_user: records[index]?.end_user ?? null,
        first_token_ms: records[index]?.first_token_ms ?? null,
        status: records[index]?.status,
      });
  });

  test('can be read as Parquet by another reader, with costs in integer nano-USD', async () => {
    const bytes = await buffer(usage.file('parquet', { accountId }));
    const file = new Uint8Array(bytes).buffer;
    expect(parquetMetadata(file).num_rows).toBe(BigInt(records.length));
    const rows = await parquetReadObjects({ file });
    expect(rows.map((row) => row.request_id)).toEqual(requestIds());
    const sum = rows.reduce((total: bigint, row) => total + BigInt(row.cost_nano_usd), 0n);
    expect(sum).toBe(costOf(records));
    const [row] = rows;
    const [first] = records;
    expect(row).toMatchObject({
      created_at: new Date(first?.began_at ?? 0),
      model: first?.model,
      input_tokens: first?.input_tokens,
      streamed: true,
      first_token_ms: first?.first_token_ms ?? null,
    });
  });

  test('is limited to a time range with an exclusive end', async () => {
    const [from, to] = [records[100]?.began_at ?? '', records[200]?.began_at ?? ''];
    const csv = parseCsv(await text(usage.file('csv', { accountId, from: new Date(from), to: new Date(to) })));
    const expected = records.filter(({ began_at }) => began_at >= from && began_at < to);
    expect(csv).toHaveLength(expected.length);
  });

  test.each(['csv', 'jsonl', 'parquet'] as const)('of nothing is a whole file: %s', async (format) => {
    const ever = { from: new Date(-8.64e15), to: new Date(8.64e15) };
    const bytes = await buffer(usage.file(format, { accountId: randomUUID(), ...ever }));
    if (format === 'csv') expect(bytes.toString()).toBe(`${exportColumns.map(({ name }) => name).join(',')}\r\n`);
    else if (format === 'jsonl') expect(bytes.length).toBe(0);
    else expect(await parquetReadObjects({ file: new Uint8Array(bytes).buffer })).toEqual([]);
  });

  test('reads the next page only on demand', async () => {
    let queries = 0;
    const counting: Database = {
      ...database,
      query: (sql, values) => {
        queries++;
        return database.query(sql, values);
      },
    };
    const pieces = new UsageExport(counting).file('csv', { accountId });
    await pieces.next();
    await pieces.next();
    expect(queries).toBe(1);
    await pieces.return(undefined);
    expect(queries).toBe(1);
  });
});
