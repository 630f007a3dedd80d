import { hash } from 'node:crypto';

/** A chat's limit. */
const MAX_NAME_LENGTH = 64;
const DIGEST_LENGTH = 8;

/**
 * The name of a tool in a chat, which has no namespaces. That of a tool in a namespace has a digest: `a` with `b__c` and `a__b`
 * with `c` are two tools.
 */
export function flatName(namespace: string | null | undefined, name: string): string {
  const full = namespace ? `${namespace}__${name}` : name;
  const allowed = full.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (!namespace && allowed === full && full.length <= MAX_NAME_LENGTH) return full;
  const digest = hash('sha256', JSON.stringify([namespace ?? null, name])).slice(0, DIGEST_LENGTH);
  return `${allowed.slice(0, MAX_NAME_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}
