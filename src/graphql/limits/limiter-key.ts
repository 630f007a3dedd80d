import type { Caller } from '../operation/context.ts';

/** The key of a caller in limiters: an API key, or a user with all of their sessions. */
export function limiterKey(caller: Caller): string {
  return caller.kind === 'key' ? `key ${caller.key.id}` : `user ${caller.identity.userId}`;
}
