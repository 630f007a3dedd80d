import { types } from 'pg';
import { PgBoss, type Clock as BossClock, type Db, type QueueOptions } from 'pg-boss';
import type { z } from 'zod';
import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { runAs, type Actor } from '../database/audit/audit-context.ts';
import { isConnectionFailure } from '../database/connection-failure.ts';
import type { Database } from '../database/database.ts';
import { redactError } from '../database/error-serializer.ts';
import type { StorageLog } from '../database/log.ts';
import { FailureLog } from './failure-log.ts';

/** A kind of job: what it carries, and what is done with it. */
export interface JobKind<Data extends object> {
  readonly name: string;
  readonly schema: z.ZodType<Data>;
}

export interface JobContext {
  /** Aborted when the job has run out of time. */
  readonly signal: AbortSignal;
}

export type JobHandler<Data extends object> = (data: Data, context: JobContext) => Promise<void>;

export interface JobKindOptions {
  /** How long one attempt may take. */
  readonly timeoutSeconds?: number;
  /** After the first attempt. The pause before each doubles, from `retryDelaySeconds` on. */
  readonly retries?: number;
  readonly retryDelaySeconds?: number;
  /** Jobs of this kind that this process works on at once. */
  readonly concurrency?: number;
  /** Of those, the most of one group: the jobs of others need not wait for its own. */
  readonly groupConcurrency?: number;
  /** Of the jobs with the same key, one waits at most. A kind that was there before without this keeps to what it was. */
  readonly queueAtMostOne?: boolean;
}

export interface SendJobOptions {
  readonly startAfter?: Date;
  readonly group?: string;
  /** Where a job with this key waits already, that one is given the new time and data, and no other is stored. */
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
  /** How late, at most twice, a scheduled job may be found due; up to 45. */
  readonly scheduleSeconds?: number;
  /**
   * How long a job that fell due may lie unseen where another process sent it, or where it is tried again. One that this process
   * sent for now or soon is begun when it is due.
   */
  readonly pollSeconds?: number;
  readonly clock?: Clock;
}

const defaults = { timeoutSeconds: 300, retries: 5, retryDelaySeconds: 15, concurrency: 1 };
/** Workers are woken; each asking for itself again and again would keep an idle database busy. */
const pollingIntervalSeconds = 300;
/** Of the kinds named by `$1`, how many jobs are due: as many as can matter. */
const due = `
select kind.name, due.jobs from unnest($1::text[]) as kind(name) cross join lateral (
  select count(*)::integer as jobs from (
    select from pgboss.job as job
    where job.name = kind.name and job.state < 'active' and not job.blocked and job.start_after <= now() limit 100
  ) as waiting
) as due where due.jobs > 0`;
/** A job whose process died is given to another after so long without a sign of life. */
const heartbeatSeconds = 60;
const longestRetryDelaySeconds = 3_600;
const keepFinishedSeconds = 3 * 86_400;
const stopTimeoutMs = 10_000;
const startRetryMs = 2_000;
/** What falls due later than this is found by a look. */
const longestWatchMs = 5 * 60_000;
/** The database's clock says what is due. */
const afterDueMs = 25;
/**
 * A worker that looked just as a place of a group fell free may have found that group's jobs alone, given them back, and gone
 * to sleep.
 */
const secondLookMs = 500;

/**
 * Durable jobs in the application's own database: each runs at least once, whatever dies in between, on one
 * process at a time. Handlers must bear to be run again.
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
    this.#boss = new PgBoss({
      db: sharedPool(database),
      backend: database.kind === 'embedded' ? 'pglite' : 'postgres',
      clock: bossClock(clock),
      // Upkeep is work for a database that sits idle otherwise: as rare as the library lets it be.
      superviseIntervalSeconds: 60,
      monitorIntervalSeconds: 3_600,
      maintenanceIntervalSeconds: 3_600,
      queueCacheIntervalSeconds: 3_600,
      bamIntervalSeconds: 3_600,
      flowIntervalSeconds: 3_600,
      cronMonitorIntervalSeconds: scheduleSeconds,
      cronWorkerIntervalSeconds: scheduleSeconds,
      monitorVacuum: false,
      reindex: database.kind === 'server',
    });
    this.#boss.on('error', (error) => log?.warn({ err: error }, 'The job queue met an error and goes on'));
    this.#boss.on('warning', (warning) => log?.warn({ warning }, 'The job queue warns'));
  }

  /** Says what is done with jobs of a kind. All kinds are defined before the queue starts. */
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
   * A job at every time that the cron expression (UTC) names; one for all processes together. Of the times at
   * which nothing ran, the last is made up for at the next start.
   */
  schedule<Data extends object>(kind: JobKind<Data>, cron: string, data: Data): void {
    if (this.#starting) throw new Error(`The job ${kind.name} is scheduled after the queue was started.`);
    this.#schedules.push({ name: kind.name, cron, data: kind.schema.parse(data) });
  }

  /** Resolves when the job is stored: from then on it will run. */
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
    else if (waitMs <= longestWatchMs) this.#wakeLater(kind.name, waitMs + afterDueMs);
    if (group !== undefined) this.#wakeLater(kind.name, Math.max(0, waitMs) + secondLookMs);
  }

  /** Each job wakes one of those who sleep: in turn, since one that was woken just now may not have begun. */
  #wake(name: string, jobs = 1): void {
    if (this.#stopped) return;
    const workers = this.#boss.getWipData().filter((worker) => worker.name === name);
    const idle = workers.filter(({ count }) => count === 0);
    for (let left = Math.min(jobs, idle.length); left > 0; left--) {
      const woken = idle[this.#wakes++ % idle.length];
      if (woken !== undefined) this.#boss.notifyWorker(woken.id);
    }
  }

  /** Looks for jobs of all kinds at once, again and again. */
  #pollLater(): void {
    if (this.#stopped) return;
    this.#pollTimer = this.#clock
      .setTimeout(() => {
        this.#poll()
          // A database that is away tells of itself elsewhere; the next look sees what this one missed.
          .catch((error: unknown) => {
            if (this.#stopped || isConnectionFailure(error)) return;
            this.#log?.warn({ err: error }, 'Jobs that are due could not be looked for');
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

  /** Whoever works looks for the next job when it is done, without a pause. */
  #goOn(name: string): void {
    for (const worker of this.#boss.getWipData())
      if (worker.name === name && worker.count > 0) this.#boss.notifyWorker(worker.id);
  }

  /** Begins to work; tries until the database answers. Resolves when jobs can be sent. */
  start(): Promise<void> {
    return (this.#starting ??= this.#startWhenPossible());
  }

  /** Lets running jobs end, within limits; what does not end runs again after the next start. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#pollTimer?.cancel();
    this.#wakeStart?.();
    await this.#starting?.catch(() => undefined);
    await this.#boss.stop({ graceful: true, timeout: stopTimeoutMs, close: false });
  }

  async #startWhenPossible(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#boss.start();
        await this.#prepare();
        this.#pollLater();
        return;
      } catch (error) {
        this.#log?.warn({ err: error }, 'The job queue could not start and will try again');
        await new Promise<void>((wake) => {
          this.#wakeStart = wake;
          this.#clock.setTimeout(wake, startRetryMs).unref();
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
        this.#goOn(name);
        for (const job of jobs) {
          try {
            await runAs(actorOf(name), {}, () => run(job.data, { signal: job.signal }));
            this.#failures.succeeded(name);
          } catch (error) {
            const isLast = job.retryCount >= job.retryLimit;
            this.#failures.failed({ job: name, id: job.id, error, isLast });
            // The queue stores what it is told of.
            throw redactError(error);
          }
        }
      },
    );
  }
}

/** What a job changes is told as done by it. */
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
    retryDelayMax: longestRetryDelaySeconds,
    deleteAfterSeconds: keepFinishedSeconds,
  };
}

/**
 * Statements run on the application's own pool: the queue opens no connection, and so it needs no LISTEN and no
 * session of its own. A statement that fails costs its connection, which ends a transaction begun inside the text.
 */
function sharedPool(database: Database): Db {
  return {
    executeSql: async (text, values) => {
      const pool = await database.orm.em.getConnection().getNativeClient();
      // The ORM's pool hands out dates and numbers as text; the queue expects what the driver makes of them.
      return pool.query({ text, values, types });
    },
  };
}

/** The queue's timers let the process exit. */
function bossClock(clock: Clock): BossClock {
  const cancel = (handle: unknown): void => {
    if (isTimer(handle)) handle.cancel();
  };
  return {
    now: () => clock.now(),
    setTimeout: (run, ms) => clock.setTimeout(run, ms).unref(),
    clearTimeout: cancel,
    setInterval: (run, ms) => clock.setInterval(run, ms).unref(),
    clearInterval: cancel,
  };
}

function isTimer(handle: unknown): handle is Timer {
  return typeof handle === 'object' && handle !== null && 'cancel' in handle;
}
