import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import { isLimit } from '../limits/limit-refusal.ts';

const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 60_000;
const BACKOFF_MS = 1_000;
/** A line runs again after so many failures of a provider, each after the gateway's own retries and fallbacks. */
const MAX_PROVIDER_FAILURES = 5;

const providerFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'provider_overloaded',
  'provider_unreachable',
  'provider_timeout',
  'provider_stream_cut',
]);

/** A run of a line that failed. */
export interface FailedRun {
  readonly error: SluiceError;
  /** Whether a provider has had it. */
  readonly wasSent: boolean;
  /** How often the line has waited since its turn began. */
  readonly waits: number;
  /** Its failures that count, this one included where it does. */
  readonly failures: number;
}

/** How long a line waits before it runs again, in milliseconds; null where its error is final. */
export function waitBeforeRetry({ error, wasSent, waits, failures }: FailedRun): number | null {
  const isCounted = countsAsFailure(error, wasSent);
  if (isCounted ? failures > MAX_PROVIDER_FAILURES : !isTemporary(error)) return null;
  const backoff = BACKOFF_MS * 2 ** Math.min(isCounted ? failures - 1 : waits, 6);
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, error.retryAfterMs ?? backoff));
}

/**
 * Whether a line may fail so only a few times. A rate limit passes; what a provider has answered is paid for again each time it
 * cannot be moderated.
 */
export function countsAsFailure(error: SluiceError, wasSent: boolean): boolean {
  return isProviderFailure(error) || (wasSent && error.code === 'moderation_unavailable');
}

function isTemporary(error: SluiceError): boolean {
  const { upstreamStatus, wireCode } = error;
  return isLimit(error) || (upstreamStatus === 429 && wireCode !== 'insufficient_quota');
}

function isProviderFailure({ code, upstreamStatus }: SluiceError): boolean {
  return providerFailures.has(code) || (upstreamStatus !== null && upstreamStatus >= 500);
}

/** Whether a budget or the balance has no room for it beside what other lines have reserved. */
export function isBudgetRefusal({ code, upstream }: SluiceError): boolean {
  return code === 'insufficient_quota' && upstream === undefined;
}
