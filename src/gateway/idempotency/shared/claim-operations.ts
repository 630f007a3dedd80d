import type { EndState, OtherClaim, RecoveredClaim } from '../shared-claims.ts';

/** Where the response of a claim is. */
export interface AnswerPlace {
  /** Of the worker that stored it. */
  readonly slot: number;
  readonly bytes: number;
}

/** `full`: the account has as many claims as it may. */
export type ClaimReply = OtherClaim | 'full' | null;

/** What a worker asks the supervisor for. */
export type ClaimQuestion =
  | readonly [type: 'claim', scope: string, fingerprint: string, accountId: string]
  | readonly [type: 'answer', scope: string];

/** What a worker tells the supervisor. */
export type ClaimNotice =
  | readonly [type: 'free', scope: string]
  | readonly [type: 'ended', scope: string, state: EndState, bytes: number]
  /** @param isLast whether all claims of earlier processes are sent */
  | readonly [type: 'recovered', claims: readonly RecoveredClaim[], isLast: boolean];

/** Carries messages from a worker to the supervisor, in order. */
export interface ClaimMessages {
  /** @throws where the supervisor is gone, does not respond in time, or does not know all claims yet */
  claim(scope: string, fingerprint: string, accountId: string): Promise<ClaimReply>;
  /** @throws also where there is no response */
  answer(scope: string): Promise<AnswerPlace>;
  post(notice: ClaimNotice): void;
}
