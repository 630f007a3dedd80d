import { SluiceError } from '../../errors/index.ts';

/** A question to the process that holds the limits, without a reply so far. */
export interface Waiting {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

export function limitsUnavailable(cause?: unknown): SluiceError {
  return new SluiceError('limits_unavailable', { retryAfterMs: 1_000, cause });
}

/** @param replies in the order of the questions */
export function distribute(replies: readonly unknown[], waiting: readonly Waiting[]): void {
  for (const [index, { resolve, reject }] of waiting.entries()) {
    const reply = replies[index];
    if (isFailed(reply)) reject(limitsUnavailable());
    else resolve(reply);
  }
}

export function rejectAll(waiting: readonly Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(limitsUnavailable(error));
}

function isFailed(reply: unknown): boolean {
  return typeof reply === 'object' && reply !== null && 'failed' in reply;
}
