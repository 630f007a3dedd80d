import { classWeights, percentilesOf } from './durations.ts';

/**
 * Shorter output measures how a network delivers it in packets, not how a model generates it: a response that arrives at once
 * would have millions of tokens per second. As in `gateway/usage/attempts/output-speed.ts`.
 */
export const MIN_OUTPUT_MS = 100;

/** SQL: the time from the first token to the end of the response. */
const outputMs = '(duration_ms - first_token_ms)';

/** SQL: whether the output of a row of `usage_logs` has a time, whatever its status. */
export const isOutputTimed = `(streamed and output_tokens > 1 and ${outputMs} >= ${MIN_OUTPUT_MS})`;

/** SQL: whether a row of `usage_logs` has an output speed. Responses of the response cache were not generated. */
const hasOutputSpeed = `(${isOutputTimed} and status = 'succeeded' and price_version <> 'cached')`;

/**
 * Upper bounds of the histogram's classes in tokens per second: the first contains speeds below 1, the last those of 10,000 and
 * more. Stored histograms depend on them: a change requires a migration.
 */
const speedBounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 120, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_500,
  2_000, 5_000, 10_000,
] as const;

/** SQL: the weight of a row's output speed in a histogram; null without one. */
export const speedWeight = `case when ${hasOutputSpeed} then ('{${classWeights.join(',')}}'::numeric[])[width_bucket(output_tokens * 1000::bigint / ${outputMs}, '{${speedBounds.join(',')}}'::bigint[]) + 1] end`;
/** SQL, likewise. */
export const timedTokens = `case when ${hasOutputSpeed} then output_tokens end`;
export const timedOutputMs = `case when ${hasOutputSpeed} then ${outputMs} end`;

/** Output tokens per second after the first token. Percentiles are interpolated within their class. */
export interface OutputSpeed {
  /** All tokens divided by the time of all responses. */
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Null if nothing was measured. @param ms of all output together */
export function outputSpeedOf(counts: readonly number[], tokens: bigint, ms: bigint): OutputSpeed | null {
  const at = percentilesOf(counts, speedBounds);
  if (at === null || ms === 0n) return null;
  return { mean: (Number(tokens) * 1_000) / Number(ms), p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
