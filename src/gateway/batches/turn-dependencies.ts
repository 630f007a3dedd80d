import type { Clock } from '../../calendar/clock.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { BatchLane } from './batch-lane.ts';
import type { BatchStore, LeasedBatch } from './batch.ts';
import type { OpenLineDependencies } from './open-line.ts';

/** Finds the current key of a batch. */
export interface BatchKeys {
  /** @throws SluiceError invalid_api_key | expired_api_key | account_deleted | forbidden | database_unavailable */
  find(batch: LeasedBatch): Promise<KeyRecord>;
  /**
   * The key that what has run already is billed to, also after its end.
   * @throws SluiceError account_deleted | database_unavailable
   */
  findBilled(batch: LeasedBatch): Promise<KeyRecord>;
}

export interface BatchTurnDependencies extends OpenLineDependencies {
  readonly store: BatchStore;
  readonly keys: BatchKeys;
  readonly lane: BatchLane;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}
