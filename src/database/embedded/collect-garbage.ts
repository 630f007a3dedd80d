import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects what this thread no longer uses. V8 exposes its collector only to contexts created after the flag is set. */
export function collectGarbage(kind: NodeJS.GCOptions = { type: 'major' }): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect(kind);
}
