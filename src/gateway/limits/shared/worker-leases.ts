import type { LimitBound } from '../limit-store.ts';
import type { LentAmounts } from './lent-levels.ts';

/** What one worker may use without asking. All of it is consumed in the states of its bounds. */
export interface Lease extends LentAmounts {
  readonly bounds: readonly LimitBound[];
  /** Asks the worker to return it. */
  readonly recall: () => void;
  readonly grantedAt: number;
  /** Not released yet. */
  slots: number;
  isEnded: boolean;
  /** Called when it has ended. */
  readonly waiting: (() => void)[];
}

/** The leases of one worker. */
export class WorkerLeases {
  readonly recall: (lease: number) => void;
  readonly leases = new Map<number, Lease>();
  /** The lease of some bounds that has not ended. */
  readonly current = new Map<readonly LimitBound[], Lease>();
  /** Requests in the next lease of some bounds. */
  readonly sizes = new WeakMap<readonly LimitBound[], number>();
  nextId = 1;

  constructor(recall: (lease: number) => void) {
    this.recall = recall;
  }
}
