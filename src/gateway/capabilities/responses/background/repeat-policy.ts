import type { SluiceError } from '../../../../errors/index.ts';
import { isLimit } from '../../../limits/limit-refusal.ts';

const DEFAULT_DELAY_MS = 5_000;
const MIN_DELAY_MS = 200;

/** How a run that has ended without a response is repeated. */
export interface RepeatDelay {
  readonly delayMs: number;
  /** Whether it counts as an attempt: it may have been sent to a provider. */
  readonly isCounted: boolean;
}

/**
 * Null where the error is final. A process that stops leaves its runs to the next one. A limit that has no room for a repeated run
 * has admitted its request before.
 */
export function delayBeforeRepeat(error: SluiceError, isRepeated: boolean): RepeatDelay | null {
  if (error.upstream !== undefined) return null;
  if (error.code === 'shutting_down') return { delayMs: 0, isCounted: true };
  if (!isRepeated || !isLimit(error)) return null;
  return { delayMs: Math.max(MIN_DELAY_MS, error.retryAfterMs ?? DEFAULT_DELAY_MS), isCounted: false };
}
