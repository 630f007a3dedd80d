import type { Clock } from '../calendar/clock.ts';
import type { StorageLog } from '../database/log.ts';

/** Between two similar log lines of one kind. */
const MIN_INTERVAL_MS = 3_600_000;

interface Kind {
  /** Consecutive failed attempts. */
  failures: number;
  isLoggedAsFailing: boolean;
  loggedAt: number;
  /** Jobs given up since the last line about it. */
  abandoned: number;
  abandonedLoggedAt: number;
}

export interface FailedAttempt {
  readonly job: string;
  readonly id: string;
  readonly error: unknown;
  /** Whether the job is not retried. */
  readonly isLast: boolean;
}

/**
 * Logs when a kind of job starts to fail, when it succeeds again, and when jobs are given up: at most one line an hour for
 * continuing failures, without a stack for each attempt.
 */
export class FailureLog {
  readonly #log: StorageLog | undefined;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Kind>();

  constructor(log: StorageLog | undefined, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  failed({ job, id, error, isLast }: FailedAttempt): void {
    const kind = this.#kindOf(job);
    const now = this.#clock.monotonic();
    const reason = error instanceof Error ? error.message : String(error);
    kind.failures++;
    if (kind.isLoggedAsFailing || now - kind.loggedAt < MIN_INTERVAL_MS)
      this.#log?.debug({ job, id, reason, failures: kind.failures }, 'job failed again');
    else {
      this.#log?.warn({ err: error, job, id }, 'job failed; further failures are not logged until one succeeds');
      kind.isLoggedAsFailing = true;
      kind.loggedAt = now;
    }
    if (isLast) this.#abandoned(kind, { job, id, reason }, now);
  }

  succeeded(job: string): void {
    const kind = this.#kinds.get(job);
    if (kind === undefined || kind.failures === 0) return;
    if (kind.isLoggedAsFailing) this.#log?.info({ job, failures: kind.failures }, 'job succeeded again');
    kind.failures = 0;
    kind.isLoggedAsFailing = false;
  }

  #abandoned(
    kind: Kind,
    fields: { readonly job: string; readonly id: string; readonly reason: string },
    now: number,
  ): void {
    kind.abandoned++;
    if (now - kind.abandonedLoggedAt < MIN_INTERVAL_MS) return;
    this.#log?.warn({ ...fields, jobs: kind.abandoned }, 'job given up: its last attempt failed');
    kind.abandoned = 0;
    kind.abandonedLoggedAt = now;
  }

  #kindOf(job: string): Kind {
    const known = this.#kinds.get(job);
    if (known !== undefined) return known;
    const kind: Kind = {
      failures: 0,
      isLoggedAsFailing: false,
      loggedAt: -Infinity,
      abandoned: 0,
      abandonedLoggedAt: -Infinity,
    };
    this.#kinds.set(job, kind);
    return kind;
  }
}
