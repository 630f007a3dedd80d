import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { FolderInUseError } from '../../database/embedded/folder-lock.ts';
import { readHeartbeat } from '../../database/embedded/lock-heartbeat.ts';
import { LOCK } from '../folder-names.ts';
import type { AdoptionCounts } from './adopt-instance.ts';
import { unstoredBytes } from './instance-folders.ts';
import { REFUSED_USAGE } from './refused-usage.ts';

const INTERVAL_MS = 15_000;
/**
 * How long a lock must not be updated. Its holder updates it every two seconds; file systems of a network can show that up to a minute
 * later.
 */
export const ABANDONED_AFTER_MS = 90_000;

export interface AbandonedInstancesOptions {
  /** Has the data folder of each instance. */
  readonly parent: string;
  /** The data folder of this instance. */
  readonly own: string;
  /** @throws FolderInUseError */
  readonly adopt: (folder: string, signal: AbortSignal) => Promise<AdoptionCounts>;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly clock?: Clock;
}

interface Observed {
  /** The lock; null without one. */
  readonly heartbeat: string | null;
  /** When this process read it for the first time, of the clock's `monotonic`: clocks of other machines do not matter. */
  readonly since: number;
}

/** Adopts the folders of other instances in the same parent folder, once they have ended for good. */
export class AbandonedInstances {
  readonly #options: AbandonedInstancesOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #failing = new Set<string>();
  #observed: ReadonlyMap<string, Observed> = new Map();
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: AbandonedInstancesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  start(): void {
    this.#timer = this.#clock
      .setTimeout(() => {
        this.#running = this.sweep().finally(() => {
          if (!this.#stopping.signal.aborted) this.start();
        });
      }, INTERVAL_MS)
      .unref();
  }

  /** An adoption that is under way ends, and is completed by the next instance. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  async sweep(): Promise<void> {
    const { parent, own } = this.#options;
    try {
      const entries = await readdir(parent, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
      const observed = new Map<string, Observed>();
      for (const folder of folders.filter((each) => each !== own)) {
        // A folder that cannot be read, such as `lost+found`, is of no instance.
        const seen = await this.#observe(folder).catch(() => null);
        if (seen !== null) observed.set(folder, seen);
      }
      this.#observed = observed;
      this.#failing.delete(parent);
    } catch (err) {
      this.#failed(parent, err);
      return;
    }
    const oldest = this.#clock.monotonic() - ABANDONED_AFTER_MS;
    for (const [folder, { since }] of this.#observed) if (since <= oldest) await this.#adopt(folder);
  }

  async #observe(folder: string): Promise<Observed> {
    const heartbeat = await readHeartbeat(join(folder, LOCK));
    const before = this.#observed.get(folder);
    return before?.heartbeat === heartbeat ? before : { heartbeat, since: this.#clock.monotonic() };
  }

  async #adopt(folder: string): Promise<void> {
    const { adopt, log } = this.#options;
    const { signal } = this.#stopping;
    try {
      if (signal.aborted || unstoredBytes(folder) === 0) return;
      const counts = await adopt(folder, signal);
      this.#failing.delete(folder);
      log.info({ folder, ...counts }, 'adopted the journals of an instance that ended');
      if (counts.refused > 0)
        log.error(
          { file: join(folder, REFUSED_USAGE), requests: counts.refused },
          'usage older than the retention of its account was not stored, because it may have been counted before',
        );
    } catch (err) {
      // It was started again, or another instance adopts it.
      if (err instanceof FolderInUseError || signal.aborted) return;
      this.#failed(folder, err);
    }
  }

  /** Once until it succeeds. */
  #failed(folder: string, err: unknown): void {
    if (this.#failing.has(folder)) return;
    this.#failing.add(folder);
    this.#options.log.error({ err, folder }, 'adopting the journals of an instance failed; it is tried again');
  }
}
