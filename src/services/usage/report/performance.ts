import { SluiceError } from '../../../errors/index.ts';
import type { Latency } from '../durations.ts';
import type { AttemptReporter, AttemptReport, AttemptSubject, AttemptSums } from './attempt-report.ts';
import type { UsageReporter } from './usage-report.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_RANGE_MS = 366 * DAY_MS;
/** Longer ranges are divided into days. */
const MAX_HOURLY_MS = 3 * DAY_MS;
const MAX_MODELS = 200;
const none: AttemptSums = { attempts: 0, successes: 0, failures: 0, errors: 0, tokensPerSecond: null };

/** Durations of requests, and the outcomes of all attempts. */
export interface PerformanceFigures extends AttemptSums {
  /** Requests whose last target was this model or provider, however they ended. */
  readonly requests: number;
  readonly latency: Latency | null;
  readonly firstToken: Latency | null;
}

export interface PerformanceReport {
  readonly from: Date;
  readonly to: Date;
  readonly interval: 'hour' | 'day';
  readonly timeZone: string;
  readonly total: PerformanceFigures;
  /** Every interval of the range. */
  readonly intervals: readonly (PerformanceFigures & { readonly start: Date })[];
  /** Of a provider: its models, by attempts. Empty for a model. */
  readonly models: readonly (PerformanceFigures & { readonly model: string })[];
  readonly errors: AttemptReport['byCode'];
}

/** How a model or a provider served an account. A failed-over attempt is a failure of the target that failed. */
export class PerformanceReporter {
  readonly #usage: Pick<UsageReporter, 'report' | 'starts'>;
  readonly #attempts: Pick<AttemptReporter, 'report'>;

  constructor(usage: Pick<UsageReporter, 'report' | 'starts'>, attempts: Pick<AttemptReporter, 'report'>) {
    this.#usage = usage;
    this.#attempts = attempts;
  }

  /** @throws SluiceError bad_user_input if the range is invalid; database_unavailable */
  async report(
    accountId: string,
    subject: AttemptSubject,
    range: { readonly from: Date; readonly to: Date },
  ): Promise<PerformanceReport> {
    const length = range.to.getTime() - range.from.getTime();
    if (!(length > 0 && length <= MAX_RANGE_MS))
      throw new SluiceError('bad_user_input', {
        param: 'range',
        values: { reason: 'range: it must be longer than zero and at most 366 days' },
      });
    const interval = length <= MAX_HOURLY_MS ? 'hour' : 'day';
    const covered = interval === 'hour' ? completeHours(range) : range;
    const query = { ...covered, filter: subject, latency: true, limit: 10_000 };
    const { timeZone, from, to, starts } = await this.#usage.starts(accountId, { ...covered, interval });
    const [usage, attempts] = await Promise.all([
      this.#usage.report(accountId, { ...query, interval, groupBy: [] }),
      this.#attempts.report(accountId, subject, completeHours({ from, to }), starts),
    ]);
    const byModel =
      'provider' in subject
        ? await this.#usage.report(accountId, { ...query, interval: null, groupBy: ['model'], limit: MAX_MODELS })
        : null;
    const served = new Map(usage.groups.map((group) => [group.start?.getTime(), group]));
    const models = new Map((byModel?.groups ?? []).map((group) => [group.model ?? '', group]));
    const names = byModel === null ? [] : [...new Set([...attempts.byModel.keys(), ...models.keys()])];
    return {
      from,
      to,
      interval,
      timeZone,
      total: figuresOf(attempts.total, usage.total),
      intervals: starts.map((start, index) => ({
        start,
        ...figuresOf(attempts.byInterval.get(index), served.get(start.getTime())),
      })),
      models: names
        .map((model) => ({ model, ...figuresOf(attempts.byModel.get(model), models.get(model)) }))
        .toSorted((a, b) => b.attempts - a.attempts || (a.model < b.model ? -1 : 1)),
      errors: attempts.byCode,
    };
  }
}

/** Attempts are summed by hour of UTC: a range of complete hours has the same attempts and requests. */
function completeHours({ from, to }: { readonly from: Date; readonly to: Date }): { from: Date; to: Date } {
  return {
    from: new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS),
    to: new Date(Math.ceil(to.getTime() / HOUR_MS) * HOUR_MS),
  };
}

function figuresOf(
  sums: AttemptSums = none,
  served?: { readonly requests: number; readonly duration: Latency | null; readonly firstToken: Latency | null },
): PerformanceFigures {
  return {
    ...sums,
    requests: served?.requests ?? 0,
    latency: served?.duration ?? null,
    firstToken: served?.firstToken ?? null,
  };
}
