import type { Connection } from '../../../providers/contract.ts';
import type { LimitStore } from '../../limits/limit-store.ts';
import type { BatchTurnDependencies } from '../turn-dependencies.ts';
import type { ChargedEvents } from './charged-events.ts';
import type { ProviderBatchStore } from './provider-batch.ts';

export interface ProviderBatchDependencies extends BatchTurnDependencies {
  readonly providerBatches: ProviderBatchStore;
  /** A connection of the operator or of the account; undefined where it is gone. */
  readonly connection: (id: string, accountId: string) => Promise<Connection | undefined>;
  readonly charged: ChargedEvents;
  readonly limits: Pick<LimitStore, 'reserveForDeferredCharge' | 'releaseDeferredCharge'>;
}
