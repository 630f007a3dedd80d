import { SluiceError } from '../../errors/index.ts';
import { formatDuration } from '../limits/limit-view.ts';
import type { ClaimState } from './claim-table.ts';
import { isSameRequest } from './fingerprints.ts';

const RETRY_MS = 2_000;

/** @throws SluiceError where the request differs, or its response cannot be replayed */
export function assertRepeated(
  earlier: { readonly fingerprint: string; readonly state: ClaimState },
  fingerprint: string,
): void {
  if (!isSameRequest(earlier.fingerprint, fingerprint)) throw new SluiceError('idempotency_key_reused');
  if (earlier.state === 'interrupted') throw new SluiceError('idempotency_interrupted');
  if (earlier.state === 'not kept') throw new SluiceError('idempotency_not_replayable');
}

/** The error for a request that runs in another process. */
export function inProgress(): SluiceError {
  return new SluiceError('idempotency_in_progress', {
    retryAfterMs: RETRY_MS,
    values: { wait: formatDuration(RETRY_MS) },
  });
}

/** @param limit idempotency keys per account */
export function tooManyKeys(limit: number, retryAfterMs: number): SluiceError {
  return new SluiceError('too_many_idempotency_keys', {
    retryAfterMs,
    values: { limit, wait: formatDuration(retryAfterMs) },
  });
}
