import type { SqlQueries } from '../../../database/sql.ts';
import { SluiceError } from '../../../errors/index.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { cacheFigures } from '../cache-figures.ts';
import { countsOf, latencyOf, type Latency } from '../durations.ts';
import { outputSpeedOf, type OutputSpeed } from '../output-speed.ts';
import { accountTimeZone } from './account-time-zone.ts';
import { partsAsTable, partsOf } from './rolled-up-parts.ts';
import { quarterAfter, quarterBefore } from '../spans.ts';
import { containing } from '../usage-conditions.ts';
import {
  columns,
  hasUsage,
  histogramFigures,
  orderAcrossSlots,
  type FigureRow,
  type GroupRow,
  type Sums,
  type UsageDimension,
  type UsageReportFilter,
} from './usage-figures.ts';
import { MAX_SUMMED, needsRows, searchedRequests, sumRows } from './usage-row-sums.ts';
import { slotsOf, type Slot, type UsageInterval } from './usage-slots.ts';

export { usageDimensions, type FigureRow, type UsageDimension, type UsageReportFilter } from './usage-figures.ts';

export interface UsageReportQuery {
  /** Rounded down to a quarter hour. */
  readonly from: Date;
  readonly to: Date;
  readonly interval: UsageInterval | null;
  readonly groupBy: readonly UsageDimension[];
  readonly filter?: UsageReportFilter;
  /** Whether percentiles are requested: they are the most expensive part. */
  readonly latency: boolean;
  /** The maximum number of groups. Beyond it, each interval keeps its groups with the highest cost; the oldest lack groups first. */
  readonly limit: number;
}

export interface UsageTotals {
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly costNano: bigint;
  readonly duration: Latency | null;
  readonly firstToken: Latency | null;
  readonly outputSpeed: OutputSpeed | null;
  /** Requests of which a part of the input was read from the provider's prompt cache. */
  readonly promptCacheRequests: number;
  /** Compared with the same requests without a cache. Negative if writing to it cost more. */
  readonly promptCacheSavingsNano: bigint;
  /** Requests with a response from the response cache. */
  readonly responseCacheRequests: number;
  /** What generating those responses cost. */
  readonly responseCacheSavingsNano: bigint;
}

/** Dimensions that were not grouped by are null. */
export interface UsageGroup extends UsageTotals {
  readonly start: Date | null;
  readonly apiKeyId: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly capability: string | null;
  /** Also null if the key belongs to no member. */
  readonly memberId: string | null;
  readonly tag: { readonly name: string; readonly value: string } | null;
  /** Also null for requests without one. */
  readonly endUser: string | null;
  /** Also null for requests without an error. */
  readonly errorCode: string | null;
}

export interface UsageReport {
  readonly from: Date;
  readonly to: Date;
  /** Later than `from` where more than `MAX_SUMMED` requests match the words of the filter: only the latest are summed. */
  readonly coveredFrom: Date;
  readonly timeZone: string;
  readonly total: UsageTotals;
  /** By time, then by descending cost. */
  readonly groups: readonly UsageGroup[];
  /** Whether groups were omitted because of the limit. */
  readonly truncated: boolean;
}

const MAX_SLOTS = 3_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** PostgreSQL supports no years beyond those that days are computed for. */
const MAX_TIME_MS = Date.UTC(2100, 0, 1);
const MIN_TIME_MS = Date.UTC(2020, 0, 1);

const summed = (column: string): string => `coalesce(sum(sign * ${column}), 0) as ${column}`;

export const figures = [
  'requests',
  'errors',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cost_nano',
  'duration_ms',
  'first_token_ms',
  ...cacheFigures,
]
  .map(summed)
  .join(', ');

export const histograms = histogramFigures.map(summed).join(', ');

/** Sums an account's usage from the roll-ups: the cost grows with time and dimensions, not with requests. */
export class UsageReporter {
  readonly #database: SqlQueries;
  readonly #maxSummed: number;

  constructor(database: SqlQueries, maxSummed = MAX_SUMMED) {
    this.#database = database;
    this.#maxSummed = maxSummed;
  }

  /** @throws SluiceError bad_user_input if the range is invalid or has too many intervals; database_unavailable */
  async report(accountId: string, query: UsageReportQuery): Promise<UsageReport> {
    const { interval, groupBy, filter = {}, latency, limit } = query;
    const { from, to } = completeQuarters(query);
    return mapDatabaseErrors(async () => {
      const timeZone = await accountTimeZone(this.#database, accountId);
      const fullRange: Slot = { start: from, from, to };
      const slots = interval === null ? [fullRange] : intervalsOf(interval, timeZone, fullRange);
      const byTag = filter.tagName === undefined ? [] : ['tag' as const];
      const range = { from: new Date(from), to: new Date(to) };
      const matches = await searchedRequests(this.#database, accountId, filter, range, this.#maxSummed);
      const [total] = await this.#sum(accountId, [fullRange], {
        groupBy: byTag,
        filter,
        matches,
        latency,
        limit: 1,
        grouped: false,
      });
      const isGrouped = interval !== null || groupBy.length > 0;
      const rows = isGrouped
        ? await this.#sum(accountId, slots, { groupBy, filter, matches, latency, limit: limit + 1, grouped: true })
        : [];
      return {
        ...range,
        coveredFrom: matches?.hasMore && matches.began ? matches.began.first : range.from,
        timeZone,
        total: totalsOf(total),
        groups: rows
          .slice(0, limit)
          // Within an interval, rows are already sorted.
          .toSorted((one, other) => one.slot - other.slot)
          .map((row) => groupOf(row, interval === null ? null : (slots[row.slot] ?? null))),
        truncated: rows.length > limit,
      };
    });
  }

  /**
   * The totals of each of these models that has usage, with one query.
   * @throws as `report`
   */
  async ofModels(
    accountId: string,
    models: readonly string[],
    range: Pick<UsageReportQuery, 'from' | 'to'>,
  ): Promise<ReadonlyMap<string, UsageTotals>> {
    const { from, to } = completeQuarters(range);
    return mapDatabaseErrors(async () => {
      const rows = await this.#sum(accountId, [{ start: from, from, to }], {
        groupBy: ['model'],
        filter: { model: models },
        latency: true,
        limit: models.length,
        grouped: true,
      });
      return new Map(rows.map((row) => [row.model ?? '', totalsOf(row)]));
    });
  }

  /** The time zone of an account, and the starts of the intervals of a range. @throws as `report` */
  async starts(
    accountId: string,
    { interval, ...range }: Pick<UsageReportQuery, 'from' | 'to'> & { readonly interval: UsageInterval },
  ): Promise<{ timeZone: string; from: Date; to: Date; starts: readonly Date[] }> {
    const { from, to } = completeQuarters(range);
    const timeZone = await mapDatabaseErrors(() => accountTimeZone(this.#database, accountId));
    const slots = intervalsOf(interval, timeZone, { start: from, from, to });
    return { timeZone, from: new Date(from), to: new Date(to), starts: slots.map(({ start }) => new Date(start)) };
  }

  /** Since the start of the account's day. */
  async today(accountId: string, now: Date): Promise<UsageTotals> {
    return mapDatabaseErrors(async () => {
      const timeZone = await accountTimeZone(this.#database, accountId);
      const [day] = slotsOf('day', timeZone, now.getTime(), now.getTime() + 1, 1) ?? [];
      const from = quarterBefore(day?.start ?? now.getTime());
      const fullRange = { start: from, from, to: quarterAfter(now.getTime() + 1) };
      const [total] = await this.#sum(accountId, [fullRange], {
        groupBy: [],
        filter: {},
        latency: true,
        limit: 1,
        grouped: false,
      });
      return totalsOf(total);
    });
  }

  async #sum(accountId: string, slots: readonly Slot[], asked: Sums): Promise<GroupRow[]> {
    if (needsRows(asked.filter) || asked.groupBy.some((each) => each === 'error' || each === 'endUser'))
      return sumRows(this.#database, accountId, slots, asked);
    const { groupBy, filter, latency, limit, grouped } = asked;
    const values: unknown[] = [
      accountId,
      ...(await partsOf(this.#database, accountId, slots)),
      limit,
      // If keys are irrelevant, the rows for all keys together are far fewer.
      groupBy.includes('key') ||
        groupBy.includes('member') ||
        filter.apiKeyId !== undefined ||
        filter.memberId !== undefined,
    ];
    const byTag = groupBy.includes('tag') || filter.tagName !== undefined;
    const conditions = Object.entries({
      api_key_id: filter.apiKeyId,
      member_id: filter.memberId,
      model: filter.model,
      provider: filter.provider,
      capability: filter.capability,
      tag_name: filter.tagName,
    }).flatMap(([column, value]) =>
      value === undefined ? [] : [`and ${column} = any($${values.push([value].flat())})`],
    );
    if (filter.modelContains !== undefined)
      conditions.push(`and model ilike $${values.push(containing(filter.modelContains))}`);
    const keys = grouped ? groupBy.flatMap((dimension) => columns[dimension]) : [];
    const selected = grouped ? ['slot', ...keys] : [];
    const sums = latency ? [figures, histograms] : [figures];
    return this.#database.query<GroupRow>(
      `select ${[...selected, ...sums].join(', ')}
      from ${partsAsTable}
      cross join lateral (
        select * from ${byTag ? 'usage_tag_rollups' : 'usage_rollups'}
        where account_id = $1 and by_key = $8 and span = part_span and bucket >= part_from and bucket < part_to
        -- Each part is a stretch of the index: nothing else is to be thought of.
        offset 0
      ) as counted
      where true ${conditions.join(' ')}
      ${grouped ? `group by ${selected.join(', ')} having ${hasUsage} order by ${orderAcrossSlots(['sum(sign * cost_nano) desc', 'sum(sign * requests) desc', ...keys].join(', '))}` : ''}
      limit $7`,
      values,
    );
  }
}

/** The range rounded to quarter hours; in milliseconds since the epoch. @throws SluiceError bad_user_input if it is invalid */
export function completeQuarters(range: { readonly from: Date; readonly to: Date }): {
  readonly from: number;
  readonly to: number;
} {
  const [from, to] = [quarterBefore(range.from.getTime()), quarterAfter(range.to.getTime())];
  // Also true for NaN.
  if (!(from < to)) throw badRange('its end must be after its beginning');
  if (from < MIN_TIME_MS || to > MAX_TIME_MS) throw badRange('it must lie between 2020 and 2100');
  return { from, to };
}

/** @throws SluiceError bad_user_input if there are too many */
export function intervalsOf(interval: UsageInterval, timeZone: string, { from, to }: Slot): Slot[] {
  const slots = slotsOf(interval, timeZone, from, to, MAX_SLOTS);
  if (slots === null) throw badRange(`it has more than ${MAX_SLOTS} intervals`);
  return slots;
}

export function totalsOf(row: FigureRow | undefined): UsageTotals {
  return {
    requests: Number(row?.requests ?? 0),
    errors: Number(row?.errors ?? 0),
    inputTokens: Number(row?.input_tokens ?? 0),
    outputTokens: Number(row?.output_tokens ?? 0),
    cachedTokens: Number(row?.cached_tokens ?? 0),
    reasoningTokens: Number(row?.reasoning_tokens ?? 0),
    costNano: BigInt(row?.cost_nano ?? 0),
    duration: latencyOf(countsOf(BigInt(row?.durations ?? 0)), BigInt(row?.duration_ms ?? 0)),
    firstToken: latencyOf(countsOf(BigInt(row?.first_tokens ?? 0)), BigInt(row?.first_token_ms ?? 0)),
    outputSpeed: outputSpeedOf(
      countsOf(BigInt(row?.output_speeds ?? 0)),
      BigInt(row?.streamed_tokens ?? 0),
      BigInt(row?.streamed_ms ?? 0),
    ),
    promptCacheRequests: Number(row?.prompt_cache_requests ?? 0),
    promptCacheSavingsNano: BigInt(row?.prompt_cache_savings_nano ?? 0),
    responseCacheRequests: Number(row?.response_cache_requests ?? 0),
    responseCacheSavingsNano: BigInt(row?.response_cache_savings_nano ?? 0),
  };
}

function groupOf(row: GroupRow, slot: Slot | null): UsageGroup {
  const { tag_name: name, tag_value: value, member_id: memberId = NIL_UUID } = row;
  return {
    ...totalsOf(row),
    start: slot === null ? null : new Date(slot.start),
    apiKeyId: row.api_key_id ?? null,
    model: row.model ?? null,
    provider: row.provider ?? null,
    capability: row.capability ?? null,
    memberId: memberId === NIL_UUID ? null : memberId,
    tag: name === undefined || value === undefined ? null : { name, value },
    endUser: row.end_user ?? null,
    errorCode: row.error_code ?? null,
  };
}

function badRange(reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param: 'range', values: { reason: `range: ${reason}` } });
}
