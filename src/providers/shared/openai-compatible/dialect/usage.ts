import { countIn, membersOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';

/** Copies the cached tokens from the provider's member of `usage` to OpenAI's. */
export function cachedTokensIn(name: string): (usage: JsonObject) => JsonObject {
  return (usage) => withCachedTokens(usage, usage[name]);
}

/** @returns the same object if OpenAI's member is present, or the provider's is absent */
export function withCachedTokens(usage: JsonObject, cached: unknown): JsonObject {
  const details = membersOf(usage.prompt_tokens_details);
  if (typeof cached !== 'number' || typeof details.cached_tokens === 'number') return usage;
  return { ...usage, prompt_tokens_details: { ...details, cached_tokens: cached } };
}

/** Adds reasoning tokens to the output, as OpenAI counts them, if the provider counts them separately. */
export function withReasoningTokens(usage: JsonObject, reasoning: number): JsonObject {
  const [input, output] = [countIn(usage, 'prompt_tokens'), countIn(usage, 'completion_tokens') + reasoning];
  const details = membersOf(usage.completion_tokens_details);
  return {
    ...usage,
    completion_tokens: output,
    total_tokens: input + output,
    completion_tokens_details: { ...details, reasoning_tokens: reasoning },
  };
}

/** The reasoning tokens, if the total shows that the output does not include them. */
export function reasoningBeside(usage: JsonObject): number {
  const reasoning = countIn(membersOf(usage.completion_tokens_details), 'reasoning_tokens');
  const apart =
    countIn(usage, 'total_tokens') ===
    countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens') + reasoning;
  return apart ? reasoning : 0;
}
