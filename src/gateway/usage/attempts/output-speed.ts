/**
 * Shorter output measures how a network delivers it in packets, not how a model generates it: a response that arrives at once
 * would have millions of tokens per second. As in `services/usage/output-speed.ts`.
 */
export const MIN_OUTPUT_MS = 100;

/** Output tokens per second after the first token; null where they are no measurement. */
export function outputSpeed(outputTokens: number, ms: number): number | null {
  return outputTokens > 1 && ms >= MIN_OUTPUT_MS ? (outputTokens * 1_000) / ms : null;
}
