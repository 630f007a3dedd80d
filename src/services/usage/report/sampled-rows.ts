import { numbered } from '../../row-condition.ts';
import { usageConditions } from '../usage-conditions.ts';
import { boundedBy } from './usage-row-sums.ts';
import type { UsageReportFilter } from './usage-figures.ts';
import type { Slot } from './usage-slots.ts';

const sampledColumns =
  'model, status, input_tokens, output_tokens, cached_tokens, reasoning_tokens, duration_ms, first_token_ms, price_version, rates, markup_ppm, units';

/** Properties with an index of their requests by time, the most selective first. */
const indexed = ['eventId', 'sessionId', 'endUser', 'apiKeyId', 'model', 'provider'] as const;

/** The maximum number of rows of a slot. */
export interface SampleLimits {
  /** Of the sample. */
  readonly rows: number;
  /** Read, whether or not they match the filter. */
  readonly scannedRows: number;
}

interface Query {
  readonly sql: string;
  readonly values: unknown[];
}

/**
 * SQL of a table with the latest requests of each slot that were not rejected. Null if no request can match. Only an indexed
 * property narrows what is scanned: the rest of a selective filter would read every row of the range.
 */
export function sampledRows(
  accountId: string,
  slots: readonly Slot[],
  filter: UsageReportFilter,
  limits: SampleLimits,
): Query | null {
  const { scanned, rest } = divided(filter);
  const { model, tagName, ...others } = rest;
  const scan = scannedRows(accountId, slots, scanned);
  const narrowing = usageConditions(accountId, boundedBy(others, slots));
  if (scan === null || narrowing === null) return null;
  const models = model === undefined ? [] : [{ sql: 'model = any(?)', values: [[model].flat()] }];
  const named = tagName === undefined ? [] : [{ sql: 'tags ->> ? is not null', values: [tagName] }];
  const { values } = scan;
  const conditions = numbered([...narrowing, ...models, ...named], values);
  const sql = `${slotsAsTable}
    cross join lateral (
      select ${sampledColumns} from (select * ${scan.sql} limit $${values.push(limits.scannedRows)}) as usage_logs
      where status <> 'rejected'${conditions}
      order by began_at desc, event_id desc limit $${values.push(limits.rows)}
    ) as sampled`;
  return { sql, values };
}

/** SQL: the slots of which `sampledRows` does not scan every row. Null if no request can match. */
export function partlyScannedSlots(
  accountId: string,
  slots: readonly Slot[],
  filter: UsageReportFilter,
  limits: SampleLimits,
): Query | null {
  const scan = scannedRows(accountId, slots, divided(filter).scanned);
  if (scan === null) return null;
  const { values } = scan;
  const next = `select 1 ${scan.sql} offset $${values.push(limits.scannedRows)} limit 1`;
  return { sql: `select slot from ${slotsAsTable} cross join lateral (${next}) as next`, values };
}

const slotsAsTable = 'unnest($2::timestamptz[], $3::timestamptz[], $4::int[]) as slots(slot_from, slot_to, slot)';

/** SQL of the rows of a slot, the latest first. */
function scannedRows(accountId: string, slots: readonly Slot[], { model, ...filter }: UsageReportFilter): Query | null {
  const narrowing = usageConditions(accountId, boundedBy(filter, slots));
  if (narrowing === null) return null;
  const models = typeof model === 'string' ? [{ sql: 'model = ?', values: [model] }] : [];
  const values: unknown[] = [
    accountId,
    slots.map(({ from }) => new Date(from)),
    slots.map(({ to }) => new Date(to)),
    slots.map((_, index) => index),
  ];
  const conditions = numbered([...narrowing, ...models], values);
  const sql = `from usage_logs where account_id = $1 and began_at >= slot_from and began_at < slot_to${conditions}
    order by began_at desc, event_id desc`;
  return { sql, values };
}

/** A filter by at most one indexed property, and the rest. Several models have no common order in an index. */
function divided(filter: UsageReportFilter): { readonly scanned: UsageReportFilter; readonly rest: UsageReportFilter } {
  const chosen = indexed.find((name) => typeof filter[name] === 'string');
  if (chosen === undefined) return { scanned: {}, rest: filter };
  return { scanned: { [chosen]: filter[chosen] }, rest: { ...filter, [chosen]: undefined } };
}
