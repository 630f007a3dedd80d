import { countIn, membersOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';

/** Puts the cached tokens where OpenAI has them, from the member of `usage` that the provider names them by. */
export function cachedTokensIn(name: string): (usage: JsonObject) => JsonObject {
  return (usage) => withCachedTokens(usage, usage[name]);
}

/** @returns the same object where OpenAI's member says it already, or the provider says nothing */
export function withCachedTokens(usage: JsonObject, cached: unknown): JsonObject {
  const details = membersOf(usage.prompt_tokens_details);
  if (typeof cached !== 'number' || typeof details.cached_tokens === 'number') return usage;
  return { ...usage, prompt_tokens_details: { ...details, cached_tokens: cached } };
}

/** Counts reasoning into the output, as OpenAI does, where the provider counts it beside. */
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

/** Its tokens of reasoning, where the total shows that they stand beside those of the answer. */
export function reasoningBeside(usage: JsonObject): number {
  const reasoning = countIn(membersOf(usage.completion_tokens_details), 'reasoning_tokens');
  const apart =
    countIn(usage, 'total_tokens') ===
    countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens') + reasoning;
  return apart ? reasoning : 0;
}
