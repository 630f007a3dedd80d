import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8's garbage collector, which it exposes only to contexts created after the flag is set.
 * @returns a function that does nothing where it is not available
 */
export function collector(): (kind: NodeJS.GCOptions) => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? (kind) => collect(kind) : () => undefined;
}
