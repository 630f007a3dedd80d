import type { Answer, Capability, TokenUsage } from './capability.ts';

/** What is the same of all kinds of work that are answered by one JSON document, without a text that is written for it. */
export const jsonDocument = {
  streamed: () => false,
  wantsUsage: () => true,
  outputReserve: () => 0,
  relayStream: () => null,
} satisfies Partial<Capability<unknown, unknown>>;

/** An answer of which nothing is shown to who looks on. @param usage null where the provider told none */
export function documentAnswer(usage: TokenUsage | null, isUsageEstimated = false): Answer {
  return { usage, isUsageEstimated, finishReason: null, estimatedOutputTokens: 0, updates: () => [] };
}
