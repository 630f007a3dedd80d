/**
 * Where classes of durations end, in milliseconds: the first holds those under 10 ms, the last those of ten minutes and more.
 * Counts by these bounds are stored: a change needs a migration that counts anew.
 */
export const durationBounds = [
  10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000,
  20_000, 30_000, 50_000, 70_000, 100_000, 150_000, 200_000, 300_000, 600_000,
] as const;

const classes = durationBounds.length + 1;

/**
 * A histogram is stored as one number, which PostgreSQL adds faster than a list: what a class counts is multiplied by its
 * weight. A class has room for 10^12; PostgreSQL stores no zeros around the digits that there are.
 */
const ROOM = 10n ** 12n;

/** In the order of the classes. */
export const classWeights: readonly bigint[] = Array.from({ length: classes }, (_, index) => ROOM ** BigInt(index));

/** @returns the counts of the classes of a stored histogram */
export function countsOf(histogram: bigint): number[] {
  return classWeights.map((weight) => Number((histogram / weight) % ROOM));
}

/** Of many requests; times in milliseconds. A percentile is exact to its class: within it, durations count as evenly spread. */
export interface Latency {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/** Null where nothing was measured. @param sumMs of all durations */
export function latencyOf(counts: readonly number[], sumMs: bigint): Latency | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => percentile(counts, share * total);
  return { mean: Number(sumMs) / total, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
}

/** @param rank how many durations are at most as long as the one sought; above 0 */
function percentile(counts: readonly number[], rank: number): number {
  let before = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = durationBounds[index - 1] ?? 0;
      // The last class has no end: how much longer than its beginning is not known.
      const to = durationBounds[index] ?? from;
      return from + ((to - from) * (rank - before)) / count;
    }
    before += count;
  }
  return durationBounds.at(-1) ?? 0;
}
