/**
 * Upper bounds of the histogram's classes in milliseconds: the first contains durations below 10 ms, the last those of ten
 * minutes and more. Stored histograms depend on them: a change requires a migration.
 */
export const durationBounds = [
  10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000,
  20_000, 30_000, 50_000, 70_000, 100_000, 150_000, 200_000, 300_000, 600_000,
] as const;

const classes = durationBounds.length + 1;

/**
 * A histogram is stored as one number, which PostgreSQL adds faster than an array: the count of a class is multiplied by its
 * weight. A class has room for 10^12; PostgreSQL does not store leading and trailing zeros.
 */
const ROOM = 10n ** 12n;

/** In the order of the classes. */
export const classWeights: readonly bigint[] = Array.from({ length: classes }, (_, index) => ROOM ** BigInt(index));

/** @returns the counts of the classes of a stored histogram */
export function countsOf(histogram: bigint): number[] {
  return classWeights.map((weight) => Number((histogram / weight) % ROOM));
}

/** Statistics of many requests; times in milliseconds. Percentiles are interpolated within their class. */
export interface Latency {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** Null if nothing was measured. @param sumMs of all durations */
export function latencyOf(counts: readonly number[], sumMs: bigint): Latency | null {
  const at = percentilesOf(counts, durationBounds);
  if (at === null) return null;
  return { mean: Number(sumMs) / totalOf(counts), p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

/** Null if nothing was measured. @returns the percentile of a share above 0, interpolated within its class */
export function percentilesOf(
  counts: readonly number[],
  bounds: readonly number[],
): ((share: number) => number) | null {
  const total = totalOf(counts);
  return total === 0 ? null : (share) => percentile(counts, bounds, share * total);
}

function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** @param rank the number of values up to the percentile; above 0 */
function percentile(counts: readonly number[], bounds: readonly number[], rank: number): number {
  let before = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = bounds[index - 1] ?? 0;
      // The last class has no upper bound.
      const to = bounds[index] ?? from;
      return from + ((to - from) * (rank - before)) / count;
    }
    before += count;
  }
  return bounds.at(-1) ?? 0;
}
