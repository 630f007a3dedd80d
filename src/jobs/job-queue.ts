import type { PgBoss, QueueOptions } from 'pg-boss';
import type { z } from 'zod';
import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { runAs, type Actor } from '../database/audit/audit-context.ts';
import { isConnectionFailure } from '../database/connection-failure.ts';
import type { Database } from '../database/database.ts';
import { redactError } from '../database/error-serializer.ts';
import type { StorageLog } from '../database/log.ts';
import { newBoss } from './boss.ts';
import { FailureLog } from './failure-log.ts';

/** A kind of job: its data and its handler. */
export interface JobKind<Data extends object> {
  readonly name: string;
  readonly schema: z.ZodType<Data>;
}

export interface JobContext {
  /** Aborted when the job times out. */
  readonly signal: AbortSignal;
}

export type JobHandler<Data extends object> = (data: Data, context: JobContext) => Promise<void>;

export interface JobKindOptions {
  /** Timeout of one attempt. */
  readonly timeoutSeconds?: number;
  /** After the first attempt. The delay doubles, starting with `retryDelaySeconds`. */
  readonly retries?: number;
  readonly retryDelaySeconds?: number;
  /** Jobs of this kind that this process runs concurrently. */
  readonly concurrency?: number;
  /** The maximum of those per group, so that one group does not delay others. */
  readonly groupConcurrency?: number;
  /** Queues at most one job per key. An existing queue without this is not changed. */
  readonly queueAtMostOne?: boolean;
}

export interface SendJobOptions {
  readonly startAfter?: Date;
  readonly group?: string;
  /** Replaces the time and data of a queued job with this key, if there is one. */
  readonly key?: string;
}

interface Definition {
  readonly name: string;
  readonly options: JobKindOptions;
  readonly run: (data: unknown, context: JobContext) => Promise<void>;
}

interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly data: object;
}

export interface JobQueueOptions {
  readonly log?: StorageLog;
  /** Half the maximum delay of a scheduled job; up to 45. */
  readonly scheduleSeconds?: number;
  /**
   * How long a due job that was sent by another process, or is retried, may remain undetected. Jobs that this process sends
   * for now or soon start when they are due.
   */
  readonly pollSeconds?: number;
  readonly clock?: Clock;
}

const defaults = { timeoutSeconds: 300, retries: 5, retryDelaySeconds: 15, concurrency: 1 };
/** Workers are notified; frequent polling by each would load an idle database. */
const pollingIntervalSeconds = 300;
/** The number of due jobs for each of the kinds in `$1`, up to a maximum. */
const due = `
select kind.name, due.jobs from unnest($1::text[]) as kind(name) cross join lateral (
  select count(*)::integer as jobs from (
    select from pgboss.job as job
    where job.name = kind.name and job.state < 'active' and not job.blocked and job.start_after <= now() limit 100
  ) as waiting
) as due where due.jobs > 0`;
/** A job is given to another process this long after the last heartbeat of its own. */
const heartbeatSeconds = 60;
const MAX_RETRY_DELAY_SECONDS = 3_600;
const FINISHED_RETENTION_SECONDS = 3 * 86_400;
const STOP_TIMEOUT_MS = 10_000;
const START_RETRY_MS = 2_000;
/** Jobs due later than this are detected by polling. */
const MAX_TIMER_MS = 5 * 60_000;
/** The database's clock determines what is due. */
const DUE_SLACK_MS = 25;
/**
 * A worker that polled just when a slot of a group became free may have found only jobs of that group, returned them, and gone
 * to sleep.
 */
const SECOND_POLL_MS = 500;

/**
 * Durable jobs in the application's own database: each runs at least once, despite crashes, on one process at a time. Handlers
 * must be idempotent.
 */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #log: StorageLog | undefined;
  readonly #clock: Clock;
  readonly #failures: FailureLog;
  readonly #definitions = new Map<string, Definition>();
  readonly #schedules: Schedule[] = [];
  readonly #working = new Set<string>();
  #wakes = 0;
  #pollTimer: Timer | undefined;
  #starting: Promise<void> | undefined;
  #stopped = false;
  #wakeStart: (() => void) | undefined;

  constructor(database: Database, options: JobQueueOptions = {}) {
    const { log, scheduleSeconds = 30, pollSeconds = 5, clock = systemClock } = options;
    this.#database = database;
    this.#clock = clock;
    this.#pollMs = pollSeconds * 1_000;
    this.#log = log;
    this.#failures = new FailureLog(log, clock);
    this.#boss = newBoss(database, clock, scheduleSeconds);
    this.#boss.on('error', (error) => log?.warn({ err: error }, 'job queue error'));
    this.#boss.on('warning', (warning) => log?.warn({ warning }, 'job queue warning'));
  }

  /** Defines the handler of a kind. All kinds are defined before the queue starts. */
  define<Data extends object>(
    name: string,
    schema: z.ZodType<Data>,
    handler: JobHandler<Data>,
    options: JobKindOptions = {},
  ): JobKind<Data> {
    if (this.#starting) throw new Error(`The job ${name} is defined after the queue was started.`);
    if (this.#definitions.has(name)) throw new Error(`The job ${name} is defined twice.`);
    this.#definitions.set(name, { name, options, run: (data, context) => handler(schema.parse(data), context) });
    return { name, schema };
  }

  /**
   * Runs a job at every time of the cron expression (UTC), once for all processes together. Of the times that were missed
   * while no process ran, the last is made up for at the next start.
   */
  schedule<Data extends object>(kind: JobKind<Data>, cron: string, data: Data): void {
    if (this.#starting) throw new Error(`The job ${kind.name} is scheduled after the queue was started.`);
    this.#schedules.push({ name: kind.name, cron, data: kind.schema.parse(data) });
  }

  /** Resolves when the job is stored; it is then run even if this process exits. */
  async send<Data extends object>(kind: JobKind<Data>, data: Data, options: SendJobOptions = {}): Promise<void> {
    await this.start();
    const { startAfter, group, key } = options;
    const parsed = kind.schema.parse(data);
    const settings = { startAfter: startAfter ?? 0, ...(group !== undefined && { group: { id: group } }) };
    if (key === undefined) await this.#boss.send(kind.name, parsed, settings);
    else await this.#boss.upsert(kind.name, parsed, { ...settings, singletonKey: key });
    if (!this.#working.has(kind.name)) return;
    const waitMs = startAfter === undefined ? 0 : startAfter.getTime() - this.#clock.now();
    if (waitMs <= 0) this.#wake(kind.name);
    else if (waitMs <= MAX_TIMER_MS) this.#wakeLater(kind.name, waitMs + DUE_SLACK_MS);
    if (group !== undefined) this.#wakeLater(kind.name, Math.max(0, waitMs) + SECOND_POLL_MS);
  }

  /** Each job wakes an idle worker, in turn, because one that was just woken may not have started yet. */
  #wake(name: string, jobs = 1): void {
    if (this.#stopped) return;
    const workers = this.#boss.getWipData().filter((worker) => worker.name === name);
    const idle = workers.filter(({ count }) => count === 0);
    for (let left = Math.min(jobs, idle.length); left > 0; left--) {
      const woken = idle[this.#wakes++ % idle.length];
      if (woken !== undefined) this.#boss.notifyWorker(woken.id);
    }
  }

  /** Polls for jobs of all kinds together, repeatedly. */
  #pollLater(): void {
    if (this.#stopped) return;
    this.#pollTimer = this.#clock
      .setTimeout(() => {
        this.#poll()
          // Connection failures are logged elsewhere; the next poll finds what this one missed.
          .catch((error: unknown) => {
            if (this.#stopped || isConnectionFailure(error)) return;
            this.#log?.warn({ err: error }, 'due jobs could not be read; they are read again');
          })
          .finally(() => this.#pollLater());
      }, this.#pollMs)
      .unref();
  }

  async #poll(): Promise<void> {
    const rows = await this.#database.query<{ name: string; jobs: number }>(due, [[...this.#working]]);
    for (const { name, jobs } of rows) this.#wake(name, Number(jobs));
  }

  #wakeLater(name: string, ms: number): void {
    this.#clock.setTimeout(() => this.#wake(name), ms).unref();
  }

  /** Makes busy workers fetch their next job without a delay. */
  #fetchNext(name: string): void {
    for (const worker of this.#boss.getWipData())
      if (worker.name === name && worker.count > 0) this.#boss.notifyWorker(worker.id);
  }

  /** Starts the workers; retries until the database responds. Resolves when jobs can be sent. */
  start(): Promise<void> {
    return (this.#starting ??= this.#startWhenPossible());
  }

  /** Waits for running jobs, up to a limit; those that are not finished run again after the next start. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#pollTimer?.cancel();
    this.#wakeStart?.();
    await this.#starting?.catch(() => undefined);
    await this.#boss.stop({ graceful: true, timeout: STOP_TIMEOUT_MS, close: false });
  }

  async #startWhenPossible(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#boss.start();
        await this.#prepare();
        this.#pollLater();
        return;
      } catch (error) {
        this.#log?.warn({ err: error }, 'job queue could not start; retrying');
        await new Promise<void>((wake) => {
          this.#wakeStart = wake;
          this.#clock.setTimeout(wake, START_RETRY_MS).unref();
        });
      }
    }
    throw new Error('The job queue was stopped.');
  }

  async #prepare(): Promise<void> {
    for (const definition of this.#definitions.values()) {
      const { name, options } = definition;
      const settings = queueSettings(options);
      await this.#boss.createQueue(name, { ...settings, policy: options.queueAtMostOne ? 'short' : 'standard' });
      await this.#boss.updateQueue(name, settings);
      if (this.#working.has(name)) continue;
      await this.#work(definition);
      this.#working.add(name);
    }
    for (const { name, cron, data } of this.#schedules) await this.#boss.schedule(name, cron, data, { missed: 'once' });
  }

  #work({ name, options, run }: Definition): Promise<string> {
    return this.#boss.work(
      name,
      {
        pollingIntervalSeconds,
        includeMetadata: true,
        localConcurrency: options.concurrency ?? defaults.concurrency,
        ...(options.groupConcurrency !== undefined && { localGroupConcurrency: options.groupConcurrency }),
      },
      async (jobs) => {
        this.#fetchNext(name);
        for (const job of jobs) {
          try {
            await runAs(actorOf(name), {}, () => run(job.data, { signal: job.signal }));
            this.#failures.succeeded(name);
          } catch (error) {
            const isLast = job.retryCount >= job.retryLimit;
            this.#failures.failed({ job: name, id: job.id, error, isLast });
            // The queue stores the error.
            throw redactError(error);
          }
        }
      },
    );
  }
}

/** Attributes changes by a job in the audit log. */
function actorOf(name: string): Actor {
  return { kind: 'job', userId: null, apiKeyId: null, label: name };
}

function queueSettings(options: JobKindOptions): QueueOptions {
  return {
    expireInSeconds: options.timeoutSeconds ?? defaults.timeoutSeconds,
    heartbeatSeconds,
    retryLimit: options.retries ?? defaults.retries,
    retryDelay: options.retryDelaySeconds ?? defaults.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: MAX_RETRY_DELAY_SECONDS,
    deleteAfterSeconds: FINISHED_RETENTION_SECONDS,
  };
}
