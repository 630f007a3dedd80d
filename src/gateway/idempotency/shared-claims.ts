/** What another process says of a key. `kept`: its answer can be read here. */
export type SharedState = 'running' | 'kept' | 'not kept' | 'interrupted';

/** A key that another process claimed. */
export interface OtherClaim {
  readonly state: SharedState;
  readonly fingerprint: string;
}

/** Keys that several processes claim: at most one of them has each. */
export interface SharedClaims {
  /**
   * One atomic step. Null where the key is this process' own now. Its own running claim is taken anew: whoever asks knows that it
   * does not run.
   * @throws where the other processes cannot be asked
   */
  claim(scope: string, fingerprint: string): Promise<OtherClaim | null>;
  /** Gives up a key of this process. */
  free(scope: string): void;
  /** @param sealed the answer, where the state is `kept` */
  ended(scope: string, state: Exclude<SharedState, 'running'>, sealed: Buffer | null): void;
  /** The sealed answer of a key of whatever process. @throws where it cannot be read */
  answer(scope: string): Promise<Buffer>;
}
