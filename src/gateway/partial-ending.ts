import { tokensUsed, type StreamRelay, type TokenUsage } from './capabilities/capability.ts';
import type { Metering } from './metering.ts';
import type { Ending } from './usage-line.ts';

/**
 * How a request ends that is settled by what its stream has shown so far.
 * @param unanswered what it has used should it have shown nothing; null where nothing was made that costs
 */
export function partialEnding(
  metering: Metering,
  relay: StreamRelay | null,
  unanswered: TokenUsage | null,
  outcome: Pick<Ending, 'status' | 'httpStatus' | 'error'>,
): Ending {
  const used = unanswered === null || relay === null ? unanswered : relayed(metering, relay);
  const usage = used ?? tokensUsed(0, 0);
  return {
    ...outcome,
    usage,
    cost: metering.costOf(usage),
    estimated: unanswered !== null && relay?.isUsageEstimated !== false,
    finishReason: relay?.finishReason ?? null,
  };
}

function relayed(metering: Metering, relay: StreamRelay): TokenUsage {
  return relay.usage ?? metering.estimate(relay.estimatedOutputTokens);
}
