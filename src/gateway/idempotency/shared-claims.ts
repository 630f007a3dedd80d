/** The state of a key in another process. `kept`: its response can be read here. */
export type SharedState = 'running' | 'kept' | 'not kept' | 'interrupted';

/** How a claim ended. */
export type EndState = Exclude<SharedState, 'running'>;

/** A claim of an earlier process. */
export interface RecoveredClaim {
  readonly scope: string;
  readonly accountId: string;
  readonly fingerprint: string;
  readonly state: EndState;
  /** Bytes of its response on disk. */
  readonly bytes: number;
  /** Until it expires. */
  readonly leftMs: number;
}

/** The encrypted response of a claim. */
export interface SharedAnswer {
  readonly bytes: number;
  seal(): Buffer;
}

/** A key that another process has claimed. */
export interface OtherClaim {
  readonly state: SharedState;
  readonly fingerprint: string;
}

/** Claims of processes that do not run any more. */
export interface AbandonedClaims {
  /**
   * Ends a claim that one of these processes left without an end, or any that is gone.
   * @param answer the encrypted response, where the state is `kept`
   * @returns false where there is no such claim
   * @throws where the shared store is unavailable
   */
  settle(owners: ReadonlySet<string>, scope: string, state: EndState, answer: Buffer | null): Promise<boolean>;
}

/** Keys shared by several processes: at most one process has each. */
export interface SharedClaims {
  /** The name of this process in a store that outlives it. Absent where the store does not. */
  readonly owner?: string;
  /** Where present, call it before any claim, with those of earlier processes on disk: the store does not outlive its processes. */
  recovered?(claims: readonly RecoveredClaim[]): void;
  /**
   * Claims a key in one atomic step. Null where this process has it now. A process may claim its own running key again:
   * it knows that the request does not run.
   * @throws where the shared store is unavailable; SluiceError too_many_idempotency_keys
   */
  claim(scope: string, fingerprint: string, accountId: string): Promise<OtherClaim | null>;
  /** Releases a key of this process. */
  free(scope: string): void;
  /** @param answer the response, where the state is `kept` */
  ended(scope: string, state: EndState, answer: SharedAnswer | null): void;
  /** The encrypted response of a key of any process. @throws where it cannot be read */
  answer(scope: string): Promise<Buffer>;
}
