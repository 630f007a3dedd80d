import { collector } from './collector.ts';

const MB = 1024 * 1024;

type Collect = ReturnType<typeof collector>;

let collect: Collect | null = null;

/** Created lazily: most CLI processes never need it. */
function collectGarbage(options: NodeJS.GCOptions): void {
  collect ??= collector();
  collect(options);
}

/**
 * Bytes outside V8's heap that soon become garbage. V8 reacts after 64 MB, and then runs a full collection instead of a
 * young one: at twice the CPU of everything else.
 */
export class GcPressure {
  readonly #limitBytes: number;
  readonly #collect: Collect;
  #uncollected = 0;

  /** @param limitBytes bytes after which a young collection runs, which takes a millisecond */
  constructor(limitBytes: number, collect: Collect = collectGarbage) {
    this.#limitBytes = limitBytes;
    this.#collect = collect;
  }

  add(bytes: number): void {
    this.#uncollected += bytes;
    if (this.#uncollected < this.#limitBytes) return;
    this.#uncollected = 0;
    this.#collect({ type: 'minor' });
  }
}

/** For media in transit: one recording would leave twice its size behind. */
export const mediaGcPressure = new GcPressure(4 * MB);

/**
 * For bodies that are buffered completely. More than a collection finds in use: what survives two of them is freed by a full one
 * only, and what is in use and what is garbage stay below V8's 64 MB together.
 */
export const bodyGcPressure = new GcPressure(24 * MB);
