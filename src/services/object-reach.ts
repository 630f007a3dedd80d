import type { ObjectReach } from '../gateway/keys/object-reach.ts';

export function accountReach(accountId: string): ObjectReach {
  return { accountId, apiKeyId: null };
}

/** The filter for stored objects that a caller may access. */
export function rowsWithin({ accountId, apiKeyId }: ObjectReach): { account: string; apiKeyId?: string } {
  return apiKeyId === null ? { account: accountId } : { account: accountId, apiKeyId };
}
