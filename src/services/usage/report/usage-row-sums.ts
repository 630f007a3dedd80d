import type { SqlQueries } from '../../../database/sql.ts';
import { cacheSums } from '../cache-figures.ts';
import { classWeights, durationBounds } from '../durations.ts';
import { speedWeight, timedOutputMs, timedTokens } from '../output-speed.ts';
import { numbered, type RowCondition } from '../../row-condition.ts';
import { latestMatches, type LatestMatches } from '../latest-matches.ts';
import { usageConditions, type UsageLogFilter } from '../usage-conditions.ts';
import { isExecuted, requestCount } from '../request-count.ts';
import { columns, orderAcrossSlots, type GroupRow, type Sums, type UsageReportFilter } from './usage-figures.ts';
import type { Slot } from './usage-slots.ts';

/** Whether a filter uses properties that roll-ups do not contain. */
export function needsRows(filter: UsageReportFilter): boolean {
  const { status, isError, errorCode, endUser, tag, eventId, sessionId, traceId, feedback, text } = filter;
  return [status, isError, errorCode, endUser, tag, eventId, sessionId, traceId, feedback, text].some(
    (condition) => condition !== undefined,
  );
}

const weight = (column: string): string =>
  `coalesce(sum(('{${classWeights.join(',')}}'::numeric[])[width_bucket(${column}, '{${durationBounds.join(',')}}'::int[]) + 1]) filter (where ${isExecuted}), 0)`;

const summed = (column: string): string => `coalesce(sum(${column}), 0) as ${column}`;

/** SQL: the same figures of rows as in the roll-ups. */
export const rowFigures = [
  `coalesce(sum(${requestCount}), 0) as requests`,
  `coalesce(sum(${requestCount}) filter (where status in ('failed', 'interrupted', 'rejected')), 0) as errors`,
  ...['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'cost_nano'].map(summed),
  `coalesce(sum(duration_ms) filter (where ${isExecuted}), 0) as duration_ms`,
  summed('first_token_ms'),
  ...Object.entries(cacheSums()).map(([name, sum]) => `${sum} as ${name}`),
];
export const rowHistograms = [
  `${weight('duration_ms')} as durations`,
  `${weight('first_token_ms')} as first_tokens`,
  `coalesce(sum(${speedWeight}), 0) as output_speeds`,
  `coalesce(sum(${timedTokens}), 0) as streamed_tokens`,
  `coalesce(sum(${timedOutputMs}), 0) as streamed_ms`,
];

/** Requests that the totals of a search cover: the latest that match. */
export const MAX_SUMMED = 50_000;

/** What the totals of a filter with words cover; null without words, and if no request can match. */
export async function searchedRequests(
  database: SqlQueries,
  accountId: string,
  { text, ...filter }: UsageReportFilter,
  range: { readonly from: Date; readonly to: Date },
  limit: number,
): Promise<LatestMatches | null> {
  if (text === undefined) return null;
  const conditions = reportConditions(accountId, filter, {});
  if (conditions === null) return null;
  return latestMatches(database, { accountId, words: text }, range, conditions, limit);
}

/** Sums an account's usage from the log itself: the cost grows with the number of matching requests. */
export async function sumRows(
  database: SqlQueries,
  accountId: string,
  slots: readonly Slot[],
  { groupBy, filter, matches, latency, limit, grouped }: Sums,
): Promise<GroupRow[]> {
  const { tagName } = filter;
  // The log is partitioned by time: the total range of the slots determines which partitions are read.
  const range = { from: new Date(slots[0]?.from ?? 0), to: new Date(slots.at(-1)?.to ?? 0) };
  const narrowing = matches?.conditions ?? reportConditions(accountId, filter, range);
  if (narrowing === null) return [];
  const values: unknown[] = [accountId, slots.map(({ from }) => new Date(from)), limit];
  const conditions = numbered(narrowing, values);
  const byTag = grouped && groupBy.includes('tag');
  const tags = byTag
    ? "cross join lateral jsonb_each_text(case jsonb_typeof(tags) when 'object' then tags end) as tag(tag_name, tag_value)"
    : '';
  const ofTag = byTag && tagName !== undefined ? ` and tag_name = $${values.push(tagName)}` : '';
  const keys = grouped ? groupBy.flatMap((dimension) => columns[dimension]) : [];
  const selected = grouped ? ['slot', ...keys] : [];
  return database.query<GroupRow>(
    `select ${[...selected, ...rowFigures, ...(latency ? rowHistograms : [])].join(', ')}
    from (
      -- Slots follow one another without gaps.
      select *, width_bucket(began_at, $2::timestamptz[]) - 1 as slot from usage_logs where account_id = $1${conditions}
    ) as log ${tags}
    where true${ofTag}
    ${grouped ? `group by ${selected.join(', ')} having sum(${requestCount}) > 0 or sum(cost_nano) > 0 order by ${orderAcrossSlots(['sum(cost_nano) desc', 'count(*) desc', ...keys].join(', '))}` : ''}
    limit $3`,
    values,
  );
}

/** The conditions of a report's filter on rows of `usage_logs`. Null if no request can match. */
export function reportConditions(
  accountId: string,
  { model, tagName, ...rest }: UsageReportFilter,
  range: Pick<UsageLogFilter, 'from' | 'to'>,
): RowCondition[] | null {
  const narrowing = usageConditions(accountId, { ...rest, ...range });
  if (narrowing === null) return null;
  const models = model === undefined ? [] : [{ sql: 'model = any(?)', values: [[model].flat()] }];
  const named = tagName === undefined ? [] : [{ sql: 'tags ->> ? is not null', values: [tagName] }];
  return [...narrowing, ...models, ...named];
}
