import { collector } from '../collector.ts';

/** A collection of young garbage takes less than a millisecond: a hundredth of what so many bytes take to pass. */
const COLLECTED_BYTES = 4 * 1024 * 1024;

let uncollected = 0;
let collect: ReturnType<typeof collector> | null = null;

/**
 * To be told of media that pass. Each piece is garbage as soon as it has gone on, but outside of V8's heap, which looks at
 * such after 64 MB: one recording would leave twice its size behind. Collected as it goes, it leaves next to nothing.
 */
export function bytesPassed(bytes: number): void {
  uncollected += bytes;
  if (uncollected < COLLECTED_BYTES) return;
  uncollected = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}
