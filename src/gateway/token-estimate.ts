const BYTES_PER_TOKEN = 4;

/** Estimates a body's tokens: counting them exactly would cost more than relaying them. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens that a stream without an output limit reserves at a time. */
export const STREAM_STEP_TOKENS = 1_024;
