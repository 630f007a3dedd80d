import { sameHourOfWeeksBefore } from '../../../calendar/weeks-before.ts';
import type { Database } from '../../../database/database.ts';
import type { AlertFilter } from '../../../database/entities/index.ts';
import type { Latency } from '../../usage/durations.ts';
import type { UsageReporter, UsageTotals } from '../../usage/report/usage-report.ts';
import type { Observation } from './observation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BASELINE_WEEKS = 4;
const NANO = 1e9;
/** Groups of one tag name: a report cannot select one value from the roll-ups. */
const MAX_TAG_VALUES = 10_000;

type Usage = Pick<UsageTotals, 'requests' | 'errors' | 'costNano' | 'duration' | 'firstToken'>;
type Span = { readonly from: number; readonly to: number };

const none: Usage = { requests: 0, errors: 0, costNano: 0n, duration: null, firstToken: null };
const percentiles = { 50: 'p50', 90: 'p90', 95: 'p95', 99: 'p99' } as const satisfies Record<number, keyof Latency>;

export interface UsageReadingsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly reports: Pick<UsageReporter, 'report'>;
}

/**
 * Values of an account's usage from the roll-ups. These count quarter hours, so that a window starts with the quarter hour
 * that contains its start.
 */
export class UsageReadings {
  readonly #dependencies: UsageReadingsDependencies;

  constructor(dependencies: UsageReadingsDependencies) {
    this.#dependencies = dependencies;
  }

  /** USD within the window. */
  async spend(accountId: string, { filter, windowMinutes }: Observation, now: number): Promise<number> {
    return usd(await this.#sum(accountId, filter, windowOf(windowMinutes, now), false));
  }

  /** Percent of the window's requests; null for fewer than the minimum, unless none failed. */
  async errorRate(accountId: string, observed: Observation, now: number): Promise<number | null> {
    const { filter, windowMinutes, minimum } = observed;
    const { requests, errors } = await this.#sum(accountId, filter, windowOf(windowMinutes, now), false);
    if (errors === 0) return 0;
    return requests < minimum ? null : (100 * errors) / requests;
  }

  /** Milliseconds: a percentile of the window's requests; null for fewer than the minimum, 0 for none. */
  async latency(accountId: string, observed: Observation, now: number): Promise<number | null> {
    const { filter, windowMinutes, minimum, percentile, measure } = observed;
    const usage = await this.#sum(accountId, filter, windowOf(windowMinutes, now), true);
    const latency = measure === 'duration' ? usage.duration : usage.firstToken;
    if (usage.requests === 0) return 0;
    const name = Object.entries(percentiles).find(([each]) => Number(each) === percentile)?.[1] ?? 'p95';
    return usage.requests < minimum || latency === null ? null : latency[name];
  }

  /**
   * The spend of the last hour as a multiple of the median of the same hour of the four weeks before. Weeks before the first
   * usage do not count; without any, the value is not known. The median counts at least as `minimum / threshold`, so that the
   * threshold is reached from a spend of `minimum` USD on.
   */
  async spendAnomaly(accountId: string, observed: Observation, now: number): Promise<number | null> {
    const { filter, minimum, threshold } = observed;
    const { started, timeZone } = await this.#history(accountId);
    const earlier = sameHourOfWeeksBefore(now, BASELINE_WEEKS, timeZone).filter((at) => at - HOUR_MS >= started);
    if (earlier.length === 0) return null;
    const current = usd(await this.#sum(accountId, filter, windowOf(60, now), false));
    if (current === 0) return 0;
    const before: number[] = [];
    for (const at of earlier) before.push(usd(await this.#sum(accountId, filter, windowOf(60, at), false)));
    const baseline = Math.max(median(before), minimum / threshold);
    // Any spend is infinitely more than none; a finite number can be shown.
    return baseline === 0 ? Number.MAX_SAFE_INTEGER : current / baseline;
  }

  async #sum(accountId: string, filter: AlertFilter, span: Span, latency: boolean): Promise<Usage> {
    const { model, provider, apiKeyId, capability, tag } = filter;
    const report = await this.#dependencies.reports.report(accountId, {
      from: new Date(span.from),
      to: new Date(span.to),
      interval: null,
      groupBy: tag === undefined ? [] : ['tag'],
      filter: { model, provider, apiKeyId, capability, tagName: tag?.name },
      latency,
      limit: MAX_TAG_VALUES,
    });
    if (tag === undefined) return report.total;
    return report.groups.find((group) => group.tag?.value === tag.value) ?? none;
  }

  /** Milliseconds of the first counted quarter hour, and the account's time zone. */
  async #history(accountId: string): Promise<{ readonly started: number; readonly timeZone: string }> {
    const [row] = await this.#dependencies.database.query<{ started: number | null; time_zone: string }>(
      `select time_zone, (
         select (extract(epoch from min(bucket)) * 1000)::float8 from usage_rollups
         where account_id = accounts.id and not by_key and span = 15
       ) as started from accounts where id = $1`,
      [accountId],
    );
    return { started: row?.started ?? Infinity, timeZone: row?.time_zone ?? 'UTC' };
  }
}

function windowOf(minutes: number, now: number): Span {
  return { from: now - minutes * MINUTE_MS, to: now + 1 };
}

function usd({ costNano }: Usage): number {
  return Number(costNano) / NANO;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = sorted.length % 2 === 0 ? sorted.slice(middle - 1) : [sorted[middle], sorted[middle]];
  return (low + high) / 2;
}
