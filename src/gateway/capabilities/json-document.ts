import type { ParsedResponse, Capability, TokenUsage } from './capability.ts';

/** Common to capabilities whose response is one JSON document without generated text. */
export const jsonDocument = {
  streamed: () => false,
  wantsUsage: () => true,
  outputReserve: () => 0,
  relayStream: () => null,
} satisfies Partial<Capability<unknown, unknown>>;

/** A response without live updates. @param usage null where the provider reported none */
export function documentAnswer(usage: TokenUsage | null, isUsageEstimated = false): ParsedResponse {
  return { usage, isUsageEstimated, finishReason: null, estimatedOutputTokens: 0, updates: () => [] };
}
