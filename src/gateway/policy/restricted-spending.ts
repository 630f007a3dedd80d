import { SluiceError } from '../../errors/index.ts';
import { builtInProviders } from '../../providers/registry.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { Target } from '../routing/target.ts';

/**
 * Whether an unverified or unapproved account must not use a target, because the operator would pay. An account's own
 * provider connections and built-in providers, which are never billed, are not affected.
 */
export function isRestricted({ restriction }: KeyRecord, { connection }: Target): boolean {
  if (restriction === undefined || restriction === null) return false;
  return connection.id === connection.provider && !builtInProviders.has(connection.provider);
}

/** The error of a request that `isRestricted` rules out. */
export function spendingRestrictedError({ restriction }: KeyRecord): SluiceError {
  return new SluiceError(restriction === 'verification' ? 'account_not_verified' : 'account_not_approved');
}
