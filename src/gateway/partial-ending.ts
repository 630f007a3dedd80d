import { tokensUsed, type StreamRelay } from './capabilities/capability.ts';
import type { Metering } from './metering.ts';
import type { Ending } from './usage-line.ts';

/**
 * How a request ends that is settled by what its stream has shown so far.
 * @param produced whether anything was made that costs
 */
export function partialEnding(
  metering: Metering,
  relay: StreamRelay | null,
  produced: boolean,
  outcome: Pick<Ending, 'status' | 'httpStatus' | 'error'>,
): Ending {
  const told = relay?.usage ?? metering.estimate(relay?.estimatedOutputTokens ?? 0);
  const usage = produced ? told : tokensUsed(0, 0);
  return {
    ...outcome,
    usage,
    cost: metering.costOf(usage),
    estimated: produced && relay?.isUsageEstimated !== false,
    finishReason: relay?.finishReason ?? null,
  };
}
