import type { Connection } from '../providers/contract.ts';
import type { Target } from './routing/target.ts';

/** An admitted request that is not sent yet. */
export interface CollectableRequest {
  readonly target: Target;
  /** Its maximum cost in nano-USD, where its key has budgets; else 0. */
  readonly costNano: bigint;
  /**
   * Sends it by a connection that does not respond. Resolves once it is sent.
   * @throws SluiceError of status 400 (as the promise's rejection)
   */
  sendBy(connection: Connection): Promise<void>;
}

/** @returns whether the request was accepted; its cost is reserved by then */
export type CollectRequest = (request: CollectableRequest) => Promise<boolean>;
