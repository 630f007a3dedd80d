import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import { isLimit } from '../limits/limit-refusal.ts';

const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 60_000;
const BACKOFF_MS = 1_000;
/** Failures of a provider, after the gateway's own retries and fallbacks. Its rate limit does not count. */
const MAX_PROVIDER_FAILURES = 5;

const providerFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'provider_overloaded',
  'provider_unreachable',
  'provider_timeout',
  'provider_stream_cut',
]);

/** How long a line waits before it runs again, in milliseconds; null where its error is final. @param failures so far, this one included */
export function waitBeforeRetry(error: SluiceError, failures: number): number | null {
  if (!isTemporary(error) && !(isProviderFailure(error) && failures <= MAX_PROVIDER_FAILURES)) return null;
  const backoff = BACKOFF_MS * 2 ** Math.min(failures - 1, 6);
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, error.retryAfterMs ?? backoff));
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
