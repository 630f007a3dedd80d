import type { UsageStatus } from './usage-record.ts';
import type { SluiceError } from '../../errors/index.ts';
import type { TokenUsage } from '../capabilities/capability.ts';

/** How a request ended. */
export interface RequestOutcome {
  readonly status: UsageStatus;
  readonly httpStatus: number;
  readonly error: SluiceError | null;
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  /** Nano-USD. */
  readonly cost: bigint;
  readonly finishReason: string | null;
}

/** Whether it used its provider, billed or not. */
export function hasUsed({ status, cost, usage }: RequestOutcome): boolean {
  return status === 'succeeded' || cost > 0n || usage.inputTokens + usage.outputTokens > 0;
}
