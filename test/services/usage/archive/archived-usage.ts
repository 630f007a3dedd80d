import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import type { UsageRecord } from '../../../../src/gateway/usage/usage-record.ts';
import { UsageStore } from '../../../../src/services/usage/usage-store.ts';
import { rowsJson } from '../../../harness/usage-rows.ts';
import { arbitraryUsage } from '../arbitrary-usage.ts';

const optional = (index: number, text: string): string | null => (index % 3 === 0 ? null : `${text} ${index}`);

/** Requests of some accounts in the first days of a month, with every column that can be null both ways. */
export function someUsage(month: string, length: number): UsageRecord[] {
  const accounts = [randomUUID(), randomUUID(), randomUUID()];
  const arbitrary = arbitraryUsage(accounts, [randomUUID()], Date.parse(`${month}-01T00:00:00Z`), 27);
  const [drawn = []] = fc.sample(fc.array(arbitrary, { minLength: length, maxLength: length }), {
    numRuns: 1,
    seed: 7,
  });
  return drawn.map((record, index) => ({
    ...record,
    protocol: index % 2 === 0 ? 'chat' : undefined,
    cost_nano: index === 0 ? '999999999999999999' : record.cost_nano,
    cache_savings_nano: index % 4 === 0 ? '12345678901234567' : undefined,
    markup_ppm: index % 5 === 0 ? 1_000 : undefined,
    admitted_ms: index % 2 === 0 ? 1 : undefined,
    last_output_ms: index % 2 === 0 ? 900 : undefined,
    error_code: optional(index, 'code'),
    session_id: optional(index, 'session "值"'),
    parent_id: optional(index + 1, 'parent'),
    trace_id: optional(index + 2, 'trace'),
    content_level: index % 2 === 0 ? 'full' : undefined,
  })) as UsageRecord[];
}

/** Stored long ago: what was stored in the last minute is not archived. */
export async function storeUsage(database: Database, records: readonly UsageRecord[]): Promise<void> {
  const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
  for (let at = 0; at < records.length; at += 500) await store.store(rowsJson(records.slice(at, at + 500)));
  const ids = records.map(({ event_id }) => event_id);
  await database.query(
    "update usage_logs set settled_at = settled_at - interval '1 day' where event_id = any($1::uuid[]) and settled_at > now() - interval '1 hour'",
    [ids],
  );
}

/** Every column of the rows of a month as PostgreSQL has it, in the order of an archive. */
export async function storedRows(database: Database, from: string, to: string): Promise<Record<string, unknown>[]> {
  const rows = await database.query<Record<string, unknown>>(
    `select *, units::text as units, rates::text as rates, tags::text as tags, attempts::text as attempts, routing::text as routing,
       (extract(epoch from began_at) * 1000)::bigint::text as began_at, (extract(epoch from settled_at) * 1000)::bigint::text as settled_at
     from usage_logs where began_at >= $1 and began_at < $2 order by account_id, usage_logs.began_at, event_id`,
    [new Date(from), new Date(to)],
  );
  return rows.map(({ cost_nano, cache_savings_nano, ...row }) => ({
    ...row,
    began_at: new Date(Number(row.began_at)),
    settled_at: new Date(Number(row.settled_at)),
    cost_usd: BigInt(String(cost_nano)),
    cache_savings_usd: cache_savings_nano === null ? null : BigInt(String(cache_savings_nano)),
    requests: requestsIn(row.units),
  }));
}

function requestsIn(units: unknown): number {
  const parsed: unknown = typeof units === 'string' ? JSON.parse(units) : null;
  return typeof parsed === 'object' && parsed !== null && 'requests' in parsed ? Number(parsed.requests) : 1;
}
