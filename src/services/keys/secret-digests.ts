import { hash } from 'node:crypto';

interface Sent {
  readonly secret: string;
  readonly digest: string;
}

/**
 * The SHA-256 of secrets. Who sends one over a connection mostly sends it again, and hashing it would be a twentieth of what a
 * small request costs: the last of each connection is remembered, as long as the connection is there.
 */
export class SecretDigests {
  readonly #last = new WeakMap<object, Sent>();

  /** In the fastest encoding of those that a map's key can have. @param connection by which it came; absent where it is none's */
  of(secret: string, connection?: object): string {
    const last = connection && this.#last.get(connection);
    if (last !== undefined && areSame(last.secret, secret)) return last.digest;
    const digest = hash('sha256', secret, 'binary');
    if (connection) this.#last.set(connection, { secret, digest });
    return digest;
  }
}

/** In a time that says nothing of where they differ: behind a proxy, callers share a connection. */
function areSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
