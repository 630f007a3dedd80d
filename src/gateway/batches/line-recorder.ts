import type { Clock } from '../../calendar/clock.ts';
import { toSluiceError } from '../../errors/index.ts';
import type { BatchStore, LeasedBatch, LineResult } from './batch.ts';

const RETRY_MS = 1_000;
/** Longer than a lease: by then another process runs the lines again. */
const MAX_ATTEMPTS = 60;

export interface LineRecorderDependencies {
  readonly store: Pick<BatchStore, 'record'>;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

/** Stores results, those that arrive during a statement together in the next one. */
export class LineRecorder {
  readonly #dependencies: LineRecorderDependencies;
  readonly #batch: LeasedBatch;
  #pending: LineResult[] = [];
  #storing: Promise<void> | null = null;
  #isLost = false;

  constructor(dependencies: LineRecorderDependencies, batch: LeasedBatch) {
    this.#dependencies = dependencies;
    this.#batch = batch;
  }

  add(result: LineResult): void {
    this.#pending.push(result);
    this.#storing ??= this.#store().finally(() => (this.#storing = null));
  }

  /** Resolves when all results are stored. @returns false where the lease was lost */
  async stored(): Promise<boolean> {
    while (this.#storing !== null) await this.#storing;
    return !this.#isLost;
  }

  async #store(): Promise<void> {
    // Lines that end in the same turn of the event loop are stored together.
    await Promise.resolve();
    for (let failures = 0; this.#pending.length > 0 && !this.#isLost;) {
      const results = this.#pending;
      this.#pending = [];
      try {
        if (!(await this.#dependencies.store.record(this.#batch, results))) this.#isLost = true;
        failures = 0;
      } catch (error) {
        this.#pending = [...results, ...this.#pending];
        failures++;
        const fields = { err: toSluiceError(error), batch: this.#batch.id };
        if (failures === 1) this.#dependencies.log.warn(fields, 'storing results of a batch failed; retrying');
        if (failures >= MAX_ATTEMPTS) this.#isLost = true;
        else await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#dependencies.clock.setTimeout(resolve, RETRY_MS).unref());
  }
}
