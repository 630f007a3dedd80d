import { numbered } from '../../row-condition.ts';
import { usageConditions } from '../usage-conditions.ts';
import { boundedBy } from './usage-row-sums.ts';
import type { UsageReportFilter } from './usage-figures.ts';
import type { Slot } from './usage-slots.ts';

const sampledColumns =
  'model, status, input_tokens, output_tokens, cached_tokens, reasoning_tokens, duration_ms, first_token_ms, price_version, rates, markup_ppm, units';

/**
 * SQL of a table with the latest requests of each slot that were not rejected. Null if no request can match.
 * @param limit the maximum number of rows of a slot
 */
export function sampledRows(
  accountId: string,
  slots: readonly Slot[],
  filter: UsageReportFilter,
  limit: number,
): { readonly sql: string; readonly values: unknown[] } | null {
  const { model, tagName, ...rest } = filter;
  const narrowing = usageConditions(accountId, boundedBy(rest, slots));
  if (narrowing === null) return null;
  const models = model === undefined ? [] : [{ sql: 'model = any(?)', values: [[model].flat()] }];
  const named = tagName === undefined ? [] : [{ sql: 'tags ->> ? is not null', values: [tagName] }];
  const values: unknown[] = [
    accountId,
    slots.map(({ from }) => new Date(from)),
    slots.map(({ to }) => new Date(to)),
    slots.map((_, index) => index),
    limit,
  ];
  const conditions = numbered([...narrowing, ...models, ...named], values);
  const sql = `unnest($2::timestamptz[], $3::timestamptz[], $4::int[]) as slots(slot_from, slot_to, slot)
    cross join lateral (
      select ${sampledColumns} from usage_logs
      where account_id = $1 and began_at >= slot_from and began_at < slot_to and status <> 'rejected'${conditions}
      order by began_at desc, event_id desc limit $5
    ) as sampled`;
  return { sql, values };
}
