import type { KeyRecord } from '../key-directory.ts';

/** What a refused or admitted caller is told: the numbers of `x-ratelimit-*`. */
export interface RateLimitView {
  readonly limitRequests: number;
  readonly remainingRequests: number;
  /** Milliseconds until the requests are full again. */
  readonly resetRequestsMs: number;
  readonly limitTokens: number;
  readonly remainingTokens: number;
  readonly resetTokensMs: number;
}

/**
 * Reserves against a key's limits. One implementation counts in this process; others may share the counts between
 * processes, so a reservation may answer later.
 */
export interface LimitStore {
  /**
   * Takes one request, `tokens` and a slot.
   * @throws SluiceError rate_limit_* | tokens_above_limit
   */
  reserve(key: KeyRecord, model: string, tokens: number): void | Promise<void>;
  /** Corrects a reservation at its end; `tokens` as reserved, `used` as they came out. */
  settle(key: KeyRecord, tokens: number, used: number): void;
  /** The state after the last step, for the headers of an answer. */
  view(key: KeyRecord): RateLimitView;
}
