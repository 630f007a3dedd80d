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
