import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { LimitStore } from '../limits/limit-store.ts';
import { BatchLane } from './batch-lane.ts';
import { BatchTurn } from './batch-turn.ts';
import type { ProviderBatchDependencies } from './provider/dependencies.ts';
import type { LeasedBatch } from './batch.ts';

/** Batches that this process runs at the same time. */
const MAX_TURNS = 4;
/** A batch is left to others after this, where some wait. */
const TURN_MS = 30_000;
/** A process that stops renewing is dead: another one runs its batches. */
const LEASE_MS = 30_000;
const RENEW_INTERVAL_MS = 2_000;
/** Also the delay before a batch is run again whose turn failed. */
const POLL_INTERVAL_MS = 5_000;

export interface BatchRunnerDependencies extends Omit<ProviderBatchDependencies, 'lane' | 'clock' | 'limits'> {
  readonly limits: ProviderBatchDependencies['limits'] & Pick<LimitStore, 'view'>;
  readonly clock?: Clock;
}

interface Running {
  readonly turn: BatchTurn;
  readonly ended: Promise<void>;
}

/** Runs batches in the background, within its low-priority lane. */
export class BatchRunner {
  readonly #dependencies: ProviderBatchDependencies;
  readonly #running = new Map<string, Running>();
  #timers: readonly Timer[] = [];
  #claiming: Promise<void> | null = null;
  #isStopping = false;

  constructor({ limits, clock = systemClock, ...dependencies }: BatchRunnerDependencies) {
    const lane = new BatchLane({ pipeline: dependencies.pipeline, limits, clock });
    this.#dependencies = { ...dependencies, limits, lane, clock };
  }

  start(): void {
    const { clock } = this.#dependencies;
    this.#timers = [
      clock.setInterval(() => this.look(), POLL_INTERVAL_MS).unref(),
      clock.setInterval(() => void this.#renew(), RENEW_INTERVAL_MS).unref(),
    ];
    this.look();
  }

  /** Looks for batches to run. */
  look(): void {
    if (this.#isStopping || this.#timers.length === 0) return;
    this.#claiming ??= this.#claim().finally(() => (this.#claiming = null));
  }

  /** Starts no more lines of a batch of this process. */
  cancel(id: string): void {
    this.#running.get(id)?.turn.cancel();
  }

  /** Starts no more lines. Call it before the pipeline stops. */
  beginStop(): void {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    for (const { turn } of this.#running.values()) turn.stop();
  }

  /** After the pipeline has ended its requests: waits until their results are stored. */
  async stop(): Promise<void> {
    this.beginStop();
    await this.#claiming;
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #claim(): Promise<void> {
    const { store, log } = this.#dependencies;
    try {
      while (!this.#isStopping && this.#running.size < MAX_TURNS) {
        const accounts = [...this.#running.values()].map(({ turn }) => turn.batch.accountId);
        const batch = await store.claim(LEASE_MS, accounts);
        if (batch === null) return;
        this.#run(batch);
      }
    } catch (err) {
      log.warn({ err }, 'looking for batches failed; retrying');
    }
  }

  #run(batch: LeasedBatch): void {
    const { clock } = this.#dependencies;
    const until = clock.monotonic() + TURN_MS;
    const isOver = (): boolean => this.#isStopping || clock.monotonic() >= until;
    const turn = new BatchTurn(this.#dependencies, batch, {
      get isOver() {
        return isOver();
      },
    });
    this.#running.set(batch.id, { turn, ended: this.#end(turn) });
  }

  async #end(turn: BatchTurn): Promise<void> {
    const { store, log } = this.#dependencies;
    const { id } = turn.batch;
    let hasFailed = false;
    try {
      await turn.run();
    } catch (err) {
      hasFailed = true;
      log.warn({ err, batch: id }, 'running a batch failed; retrying');
    }
    this.#running.delete(id);
    // After a failure the lease remains, so that it is not run again at once.
    if (!hasFailed && !turn.isLost)
      await store.release(turn.batch).catch((err: unknown) => log.warn({ err }, 'releasing a batch failed'));
    this.look();
  }

  async #renew(): Promise<void> {
    const { store, log } = this.#dependencies;
    for (const { turn } of this.#running.values())
      try {
        const renewed = await store.renew(turn.batch, LEASE_MS);
        if (renewed === null) turn.lose();
        else if (renewed.isCancelled) turn.cancel();
      } catch (err) {
        log.warn({ err }, 'renewing the lease of a batch failed; retrying');
      }
  }
}
