import { annotationObject } from '../../protocols/chat-completions/response-members.ts';
import type { HostedToolUse } from '../../protocols/canonical/usage.ts';
import { countIn, isObject, textIn, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import type { Dialect } from '../shared/openai-compatible/dialect/dialect.ts';
import { withReasoningTokens } from '../shared/openai-compatible/dialect/usage.ts';

/**
 * Perplexity's responses: sources beside the choices, cumulative usage in every event, reasoning tokens counted
 * separately. Source: https://docs.perplexity.ai/guides/chat-completions-guide
 */
export const perplexityAnswers: Dialect = {
  marks: /"(?:usage|citations|search_results|chat\.completion\.done)"/,
  usage: ({ reasoning_tokens: reasoning, ...usage }) =>
    typeof reasoning === 'number' ? withReasoningTokens(usage, reasoning) : usage,
  message(message, { answer, choice, streamed }) {
    // Every event of a stream lists the sources: they are relayed once, at the end.
    if (message.annotations !== undefined || (streamed && !isEnding(choice))) return message;
    const annotations = citationsOf(answer);
    return annotations.length === 0 ? message : { ...message, annotations };
  },
  answer(document, streamed) {
    const answer = isObject(document.usage)
      ? { ...document, usage: withSearches(document.usage, document.model) }
      : document;
    if (!streamed) return answer;
    const choices = Array.isArray(answer.choices) ? answer.choices : [];
    const ending = choices.length === 0 || choices.some((choice) => isObject(choice) && isEnding(choice));
    const { usage, citations: _citations, search_results: _results, ...chunk } = answer;
    const sources = ending ? { citations: answer.citations, search_results: answer.search_results } : {};
    return { ...chunk, object: 'chat.completion.chunk', ...(ending && usage !== undefined && { usage }), ...sources };
  },
};

/**
 * Each request is one search, whose price depends on its context size; for deep research each query is one. Source:
 * https://docs.perplexity.ai/getting-started/pricing
 */
function withSearches(usage: JsonObject, model: unknown): JsonObject {
  const size = textIn(usage, 'search_context_size');
  const searches: HostedToolUse = textOf(model)?.includes('deep-research')
    ? { web_search_requests: countIn(usage, 'num_search_queries') }
    : { web_search_requests: 1, ...(size !== '' && { search_context_size: size }) };
  return { ...usage, server_tool_use: searches };
}

function isEnding(choice: JsonObject): boolean {
  return typeof choice.finish_reason === 'string';
}

/** Its search results, which have titles; otherwise the URLs. */
function citationsOf({ search_results: results, citations }: JsonObject): readonly JsonObject[] {
  const found = Array.isArray(results) && results.length > 0 ? results : Array.isArray(citations) ? citations : [];
  return found.flatMap((source: unknown) => {
    const url = isObject(source) ? source.url : source;
    if (typeof url !== 'string') return [];
    const title = isObject(source) && typeof source.title === 'string' ? source.title : url;
    return [annotationObject({ url, title, startIndex: 0, endIndex: 0 })];
  });
}
