import type { RequestOutcome } from './request-outcome.ts';
import type { Metering } from './metering.ts';
import { tokenUsage, type Answer, type StreamRelay, type TokenUsage } from '../capabilities/capability.ts';
/** The progress of a request that ends before its response is complete. */
interface StreamProgress {
  /** Whether the provider produced output, sent to the client or withheld. */
  readonly shown: boolean;
  /** The usage if there was no output. */
  readonly unanswered: TokenUsage;
}

/** The outcome of a request that ends before its response is complete. */
export function partialOutcome(
  metering: Metering,
  relay: StreamRelay | null,
  { shown, unanswered }: StreamProgress,
  outcome: Pick<RequestOutcome, 'status' | 'httpStatus' | 'error'>,
): RequestOutcome {
  const { status } = outcome;
  // A request that fails before any output is free; one whose client disconnected has been sent.
  const produced = shown || status === 'succeeded' || (status === 'aborted' && metering.isSent);
  const usage = produced ? (relay === null ? unanswered : relayed(metering, relay)) : tokenUsage(0, 0);
  return {
    ...outcome,
    usage,
    cost: metering.costOf(usage),
    estimated: produced && relay?.isUsageEstimated !== false,
    finishReason: relay?.finishReason ?? null,
  };
}

/** The outcome of an unstreamed response. */
export function completeOutcome(metering: Metering, answer: Answer): RequestOutcome {
  const usage = answer.usage ?? metering.estimate(answer.estimatedOutputTokens);
  return {
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    usage,
    cost: metering.costOf(usage),
    estimated: answer.usage === null || answer.isUsageEstimated === true,
    finishReason: answer.finishReason,
  };
}

function relayed(metering: Metering, relay: StreamRelay): TokenUsage {
  return relay.usage ?? metering.estimate(relay.estimatedOutputTokens);
}
