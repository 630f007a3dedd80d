import type { SluiceError } from '../../../errors/index.ts';
import type { Upstream } from '../../../providers/contract.ts';
import type { ParsedResponse, StreamRelay, TokenUsage } from '../../capabilities/capability.ts';
import { readUsage, servedBy } from '../../capabilities/chat/chat-usage.ts';
import type { CompleteOutput, RelayedOutput } from '../../relayed-output.ts';
import type { EndReason } from '../request-signal.ts';

/** How an attempt ended. `used`: of a request that was several calls. */
export type AttemptEnd = AnyEnd & { readonly used?: UsedTokens };

/** What the calls of a request have used together. */
export interface UsedTokens {
  readonly tokens: TokenUsage;
  /** As `UsedSoFar.isEstimated`. */
  readonly isEstimated: boolean;
  /** As `UsedSoFar.hasResponse`. */
  readonly hasResponse: boolean;
}

type AnyEnd =
  /** `last`: complete events that arrived together with the end. */
  | { readonly type: 'streamed'; readonly stream: StreamRelay; readonly last: RelayedOutput | null }
  | { readonly type: 'answered'; readonly output: CompleteOutput; readonly response: ParsedResponse }
  /** `isLocal`: before anything was sent to the provider. */
  | { readonly type: 'failed'; readonly error: SluiceError; readonly isLocal: boolean }
  /** `response`: a complete response that is not sent. */
  | { readonly type: 'aborted'; readonly reason: EndReason; readonly response?: ParsedResponse };

/** Adds what the calls of the request have used. @param upstream before it is aborted */
export function withUsed(end: AttemptEnd, upstream: Upstream | null): AttemptEnd {
  const isDisconnected = end.type === 'aborted' && end.reason.type === 'disconnected';
  const used = upstream?.used?.(isDisconnected) ?? null;
  if (used === null) return end;
  const { usage, model, isEstimated, hasResponse } = used;
  const tokens = servedBy(readUsage(usage), model ?? undefined, undefined);
  return tokens === null ? end : { ...end, used: { tokens, isEstimated, hasResponse } };
}
