import type { Database } from '../../../database/database.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { accountTimeZone } from './account-time-zone.ts';
import { cacheGroupsSql, cacheUseOf, type BilledRates, type CacheGroupRow, type CacheUse } from './cache-use.ts';
import { partlyScannedSlots, sampledRows, type SampleLimits } from './sampled-rows.ts';
import type { UsageReportFilter } from './usage-figures.ts';
import { completeQuarters, intervalsOf } from './usage-report.ts';
import type { Slot, UsageInterval } from './usage-slots.ts';

export interface UsageSampleQuery {
  /** Rounded down to a quarter hour. */
  readonly from: Date;
  readonly to: Date;
  readonly interval: UsageInterval | null;
  readonly filter?: UsageReportFilter;
  /** Which figures are requested. */
  readonly speed: boolean;
  readonly caches: boolean;
}

/** Output tokens per second after the first token. */
export interface OutputSpeed {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface SampleFigures extends CacheUse {
  /** Number of requests in the sample. */
  readonly requests: number;
  /** Whether the sample contains every request. */
  readonly isComplete: boolean;
  /** Null if no request in the sample was streamed. */
  readonly outputSpeed: OutputSpeed | null;
}

export interface UsageSample {
  readonly from: Date;
  readonly to: Date;
  readonly timeZone: string;
  readonly total: SampleFigures;
  /** Intervals with requests, in order; none if no interval is requested. */
  readonly intervals: readonly (SampleFigures & { readonly start: Date })[];
}

/** Rows that a sample reads, divided among its intervals. */
export const MAX_SAMPLED_ROWS = 50_000;
/** More of one interval do not change its percentiles noticeably. */
const MIN_ROWS_PER_INTERVAL = 20;
/** Rows that are compared with a filter for a sample, divided among its intervals. */
const MAX_SCANNED_ROWS = 200_000;
export const MIN_SCANNED_ROWS_PER_INTERVAL = 100;
/** Latest requests of a model in which its billed rates are searched. */
const MAX_RATE_ROWS = 1_000;

interface SpeedRow {
  /** Null for the total. */
  readonly slot: number | null;
  readonly requests: string;
  readonly mean: number | null;
  readonly percentiles: readonly number[] | null;
}

/** Figures that roll-ups do not contain, of a bounded number of requests: the latest ones of each interval. */
export class UsageSampler {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws SluiceError bad_user_input if the range is invalid or has too many intervals; database_unavailable */
  async sample(accountId: string, query: UsageSampleQuery): Promise<UsageSample> {
    const { from, to } = completeQuarters(query);
    return mapDatabaseErrors(async () => {
      const timeZone = await accountTimeZone(this.#database, accountId);
      const fullRange: Slot = { start: from, from, to };
      const slots = query.interval === null ? [fullRange] : intervalsOf(query.interval, timeZone, fullRange);
      const limits = {
        rows: Math.max(MIN_ROWS_PER_INTERVAL, Math.floor(MAX_SAMPLED_ROWS / slots.length)),
        scannedRows: Math.max(MIN_SCANNED_ROWS_PER_INTERVAL, Math.floor(MAX_SCANNED_ROWS / slots.length)),
      };
      const speeds = await this.#speeds(accountId, slots, query, limits);
      const groups = query.caches ? await this.#cacheGroups(accountId, slots, query, limits) : [];
      const partlyScanned = await this.#partlyScanned(accountId, slots, query, limits);
      const rates = await this.#billedRates(accountId, groups);
      const bySlot = new Map(speeds.map((row) => [row.slot, row]));
      const isFull = ({ slot, requests }: SpeedRow): boolean => slot !== null && Number(requests) >= limits.rows;
      const isComplete = partlyScanned.size === 0 && !speeds.some(isFull);
      return {
        from: new Date(from),
        to: new Date(to),
        timeZone,
        total: figuresOf(bySlot.get(null), isComplete, cacheUseOf(groups, rates)),
        intervals: (query.interval === null ? [] : slots).flatMap(({ start }, slot) => {
          const row = bySlot.get(slot);
          if (row === undefined) return [];
          const use = cacheUseOf(
            groups.filter((group) => group.slot === slot),
            rates,
          );
          return [{ start: new Date(start), ...figuresOf(row, !partlyScanned.has(slot) && !isFull(row), use) }];
        }),
      };
    });
  }

  async #speeds(
    accountId: string,
    slots: readonly Slot[],
    { filter = {}, speed }: UsageSampleQuery,
    limits: SampleLimits,
  ): Promise<SpeedRow[]> {
    const sampled = sampledRows(accountId, slots, filter, limits);
    if (sampled === null) return [];
    const measured = speed
      ? 'avg(speed) as mean, percentile_cont(array[0.5, 0.95, 0.99]::float8[]) within group (order by speed) as percentiles'
      : 'null::float8 as mean, null::float8[] as percentiles';
    return this.#database.query<SpeedRow>(
      `select slot, count(*) as requests, ${measured}
      from (
        select slot, case when ${isStreamed} then output_tokens * 1000::float8 / (duration_ms - first_token_ms) end as speed
        from ${sampled.sql}
      ) as measured
      group by grouping sets ((slot), ())`,
      sampled.values,
    );
  }

  async #cacheGroups(
    accountId: string,
    slots: readonly Slot[],
    { filter = {} }: UsageSampleQuery,
    limits: SampleLimits,
  ): Promise<CacheGroupRow[]> {
    const sampled = sampledRows(accountId, slots, filter, limits);
    return sampled === null ? [] : this.#database.query<CacheGroupRow>(cacheGroupsSql(sampled.sql), sampled.values);
  }

  async #partlyScanned(
    accountId: string,
    slots: readonly Slot[],
    { filter = {} }: UsageSampleQuery,
    limits: SampleLimits,
  ): Promise<ReadonlySet<number>> {
    const query = partlyScannedSlots(accountId, slots, filter, limits);
    if (query === null) return new Set();
    const rows = await this.#database.query<{ readonly slot: number }>(query.sql, query.values);
    return new Set(rows.map(({ slot }) => slot));
  }

  /** The rates at which the latest billed request of each model was billed, for models with cached responses. */
  async #billedRates(accountId: string, groups: readonly CacheGroupRow[]): Promise<ReadonlyMap<string, BilledRates>> {
    const models = new Set(groups.filter(({ is_response }) => is_response).map(({ model }) => model));
    if (models.size === 0) return new Map();
    const rows = await this.#database.query<BilledRates & { readonly model: string }>(
      `select wanted.model, billed.rates, billed.markup_ppm
      from unnest($2::text[]) as wanted(model) cross join lateral (
        select rates, markup_ppm from (
          select rates, markup_ppm, began_at from usage_logs
          where account_id = $1 and usage_logs.model = wanted.model order by began_at desc limit ${MAX_RATE_ROWS}
        ) as latest
        where rates is not null order by began_at desc limit 1
      ) as billed`,
      [accountId, [...models]],
    );
    return new Map(rows.map((row) => [row.model, row]));
  }
}

const isStreamed =
  "status = 'succeeded' and price_version <> 'cached' and output_tokens > 0 and first_token_ms is not null and duration_ms > first_token_ms";

function figuresOf(row: SpeedRow | undefined, isComplete: boolean, use: CacheUse): SampleFigures {
  const [p50, p95, p99] = row?.percentiles ?? [];
  const isMeasured = row?.mean != null && p50 !== undefined && p95 !== undefined && p99 !== undefined;
  return {
    requests: Number(row?.requests ?? 0),
    isComplete,
    outputSpeed: isMeasured ? { mean: row.mean ?? 0, p50, p95, p99 } : null,
    ...use,
  };
}
