import type { Clock } from '../../calendar/clock.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { LeasedBatch } from './batch.ts';
import type { BatchKeys } from './turn-dependencies.ts';

const TTL_MS = 1_000;

/** The key of a batch, read again every second: a line does not run with a key that was revoked before. */
export class CurrentKey {
  readonly #dependencies: { readonly keys: BatchKeys; readonly clock: Clock };
  readonly #batch: LeasedBatch;
  #known: { readonly record: Promise<KeyRecord>; readonly readAt: number } | null = null;

  constructor(dependencies: { readonly keys: BatchKeys; readonly clock: Clock }, batch: LeasedBatch) {
    this.#dependencies = dependencies;
    this.#batch = batch;
  }

  /** As `BatchKeys.find`. */
  get(): Promise<KeyRecord> {
    const { keys, clock } = this.#dependencies;
    const now = clock.monotonic();
    if (this.#known === null || now - this.#known.readAt > TTL_MS) {
      const record = keys.find(this.#batch);
      record.catch(() => undefined);
      this.#known = { record, readAt: now };
    }
    return this.#known.record;
  }
}
