/** A value of a histogram whose trace can be looked up. */
export interface Exemplar {
  /** Hexadecimal, as the next one. */
  readonly traceId: string;
  readonly spanId: string;
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Counts of observations in buckets with fixed upper bounds, and their sum. */
export class Histogram {
  readonly bounds: readonly number[];
  /** By bucket, not cumulative; the last one counts values above every bound. */
  readonly counts: Float64Array;
  sum = 0;
  /** The last one of each bucket that has any; null where nothing is sampled. */
  exemplars: (Exemplar | undefined)[] | null = null;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { counts } = this;
    const bucket = this.#bucketOf(value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** Of a value that was observed. */
  addExemplar(exemplar: Exemplar): void {
    (this.exemplars ??= [])[this.#bucketOf(exemplar.value)] = exemplar;
  }

  #bucketOf(value: number): number {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++;
    return bucket;
  }
}
