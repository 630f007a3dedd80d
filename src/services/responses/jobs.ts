import { z } from 'zod';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { removeExpiredRows, type ExpiringStore } from '../expiry/expiring-store.ts';

export interface ResponseSweepDependencies {
  readonly database: Database;
  /** What expires like responses; nothing if absent. */
  readonly stores?: readonly ExpiringStore[];
  readonly clock?: Clock;
}

const nothing = z.strictObject({});

/** Every minute, removes expired responses, and what expires like them. */
export class ResponseSweep {
  readonly #dependencies: ResponseSweepDependencies;
  readonly #clock: Clock;

  /** Defines its job, so it must be constructed before the queue starts. */
  constructor(queue: JobQueue, dependencies: ResponseSweepDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    const kind = queue.define('sweep-responses', nothing, (_data, { signal }) => this.sweep(signal));
    queue.schedule(kind, '* * * * *', {});
  }

  /** Stops between batches when `signal` aborts. @throws SluiceError database_unavailable */
  async sweep(signal?: AbortSignal): Promise<void> {
    for (const store of this.#dependencies.stores ?? []) await store.removeExpired(signal);
    const now = new Date(this.#clock.now());
    await removeExpiredRows(this.#dependencies.database, 'responses', now, signal);
  }
}
