import type { Caller } from '../context.ts';

/** Whom limits are counted for: a key, or a person however often they have signed in. */
export function callerName(caller: Caller): string {
  return caller.kind === 'key' ? `key ${caller.key.id}` : `user ${caller.identity.userId}`;
}
