/** The state of a key in another process. `kept`: its response can be read here. */
export type SharedState = 'running' | 'kept' | 'not kept' | 'interrupted';

/** A key that another process has claimed. */
export interface OtherClaim {
  readonly state: SharedState;
  readonly fingerprint: string;
}

/** Keys shared by several processes: at most one process has each. */
export interface SharedClaims {
  /**
   * Claims a key in one atomic step. Null where this process has it now. A process may claim its own running key again:
   * it knows that the request does not run.
   * @throws where the shared store is unavailable
   */
  claim(scope: string, fingerprint: string): Promise<OtherClaim | null>;
  /** Releases a key of this process. */
  free(scope: string): void;
  /** @param sealed the encrypted response, where the state is `kept` */
  ended(scope: string, state: Exclude<SharedState, 'running'>, sealed: Buffer | null): void;
  /** The encrypted response of a key of any process. @throws where it cannot be read */
  answer(scope: string): Promise<Buffer>;
}
