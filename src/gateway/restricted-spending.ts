import { SluiceError } from '../errors/index.ts';
import type { KeyRecord } from './key-directory.ts';
import type { Target } from './routing/target.ts';

/** Answers without a provider, and is never billed. */
const SANDBOX = 'sandbox';

/**
 * Whether a key's requests must not go there yet: nobody vouches for its account, and the operator would pay. An account's own
 * provider connections are not affected.
 */
export function isRestricted({ restriction }: KeyRecord, { connection }: Target): boolean {
  if (restriction === undefined || restriction === null) return false;
  return connection.id === connection.provider && connection.provider !== SANDBOX;
}

/** What a caller is told whose request `isRestricted`. */
export function spendingRestricted({ restriction }: KeyRecord): SluiceError {
  return new SluiceError(restriction === 'verification' ? 'account_not_verified' : 'account_not_approved');
}
