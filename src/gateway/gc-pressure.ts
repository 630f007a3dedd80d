import { collector } from './collector.ts';

const MB = 1024 * 1024;

type Collect = ReturnType<typeof collector>;

let collect: Collect | null = null;

/** Made when it is needed first: most processes of the CLI never do. */
function collectGarbage(options: NodeJS.GCOptions): void {
  collect ??= collector();
  collect(options);
}

/**
 * Bytes outside of V8's heap that are garbage soon. V8 looks at such after 64 MB, and then collects all there is instead of
 * the young garbage that holds them: at twice the CPU of everything else.
 */
export class GcPressure {
  readonly #most: number;
  readonly #collect: Collect;
  #uncollected = 0;

  /** @param most how many may wait for a collection of young garbage, which takes a millisecond */
  constructor(most: number, collect: Collect = collectGarbage) {
    this.#most = most;
    this.#collect = collect;
  }

  add(bytes: number): void {
    this.#uncollected += bytes;
    if (this.#uncollected < this.#most) return;
    this.#uncollected = 0;
    this.#collect({ type: 'minor' });
  }
}

/** To be told of media as they go on: one recording would leave twice its size behind. */
export const mediaGcPressure = new GcPressure(4 * MB);

/** To be told of bodies that are read whole. */
export const bodyGcPressure = new GcPressure(8 * MB);
