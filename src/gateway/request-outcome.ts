import { tokensUsed, type Answer, type StreamRelay, type TokenUsage } from './capabilities/capability.ts';
import type { Metering } from './metering.ts';
import type { RequestOutcome } from './usage-line.ts';

/** What is known of a request that ends with what its stream has shown so far. */
export interface StreamProgress {
  /** Whether the provider made something that reached the caller, or was kept from it. */
  readonly shown: boolean;
  /** What it has used should it have shown nothing. */
  readonly unanswered: TokenUsage;
}

/** How a request ends that is settled by what its stream has shown so far. */
export function partialOutcome(
  metering: Metering,
  relay: StreamRelay | null,
  { shown, unanswered }: StreamProgress,
  outcome: Pick<RequestOutcome, 'status' | 'httpStatus' | 'error'>,
): RequestOutcome {
  const { status } = outcome;
  // A request that failed before the provider produced anything costs nothing; one that its caller left has been sent.
  const produced = shown || status === 'succeeded' || (status === 'aborted' && metering.isSent);
  const usage = produced ? (relay === null ? unanswered : relayed(metering, relay)) : tokensUsed(0, 0);
  return {
    ...outcome,
    usage,
    cost: metering.costOf(usage),
    estimated: produced && relay?.isUsageEstimated !== false,
    finishReason: relay?.finishReason ?? null,
  };
}

/** How a request ends whose answer came in one piece. */
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
