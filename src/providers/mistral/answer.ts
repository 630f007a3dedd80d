import { type Dialect } from '../shared/openai-compatible/dialect/dialect.ts';
import { isObject, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { withCachedTokens } from '../shared/openai-compatible/dialect/usage.ts';

/**
 * Mistral's responses: content in parts, of which `thinking` contains the reasoning, tool calls without type and index,
 * and its own finish reasons. Source: https://docs.mistral.ai/api/ (chat completion),
 * https://docs.mistral.ai/capabilities/reasoning/
 */
export const mistralAnswers: Dialect = {
  marks: /"(?:type|tool_calls|usage|model_length|error)"/,
  finishReasons: { model_length: 'length', error: 'error' },
  usage(usage) {
    const older = isObject(usage.prompt_token_details) ? usage.prompt_token_details.cached_tokens : undefined;
    return withCachedTokens(usage, usage.num_cached_tokens ?? older);
  },
  message(message, { streamed }) {
    if (!Array.isArray(message.content)) return message;
    const { content: parts, ...rest } = message;
    const { text, reasoning } = joinParts(Array.isArray(parts) ? parts : []);
    // A delta of reasoning has no content; a complete message always has one.
    const silent = streamed && text === '' && reasoning !== '';
    return {
      ...rest,
      ...(!silent && { content: text }),
      ...(reasoning !== '' && { reasoning_content: reasoning }),
    };
  },
};

function joinParts(parts: readonly unknown[]): { text: string; reasoning: string } {
  let text = '';
  let reasoning = '';
  for (const part of parts) {
    if (!isObject(part)) continue;
    if (part.type === 'text') text += textOf(part);
    if (part.type === 'thinking') reasoning += thought(part.thinking);
  }
  return { text, reasoning };
}

function thought(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  return Array.isArray(thinking) ? thinking.filter(isObject).map(textOf).join('') : '';
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}
