import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So much of what has passed may lie about. */
const COLLECT_EVERY_BYTES = 8 * 1024 * 1024;

let passed = 0;
let collectYoung: (() => void) | null = null;

/**
 * Passes bytes on, and keeps the process from growing by what has passed. A socket's reads lie outside of V8's heap, which frees
 * them only once 64 MB have piled up, though nobody holds them: a look at the young objects every few megabytes, about a
 * millisecond each, frees them as they go.
 */
export async function* passing(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const bytes of source) {
    yield bytes;
    passed += bytes.length;
    if (passed < COLLECT_EVERY_BYTES) continue;
    passed = 0;
    collectYoung ??= youngCollector();
    collectYoung();
  }
}

/** V8 offers it to contexts that are made while the flag is set. */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? () => collect({ type: 'minor' }) : () => undefined;
}
