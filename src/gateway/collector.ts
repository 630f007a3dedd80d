import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8's collector, which it shows only to contexts that are made after it was told to.
 * @returns does nothing where there is none
 */
export function collector(): (kind: NodeJS.GCOptions) => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? (kind) => collect(kind) : () => undefined;
}
