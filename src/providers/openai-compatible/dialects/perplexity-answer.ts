import { annotationObject } from '../../shared/chat-answer.ts';
import { isObject, type Dialect, type JsonObject } from '../dialect.ts';
import { withReasoningTokens } from '../usage.ts';

/**
 * Perplexity's answers: sources beside the choices, usage so far in every event, reasoning counted beside the answer.
 * Source: https://docs.perplexity.ai/guides/chat-completions-guide
 */
export const perplexityAnswers: Dialect = {
  marks: /"(?:usage|citations|search_results|chat\.completion\.done)"/,
  usage: ({ reasoning_tokens: reasoning, ...usage }) =>
    typeof reasoning === 'number' ? withReasoningTokens(usage, reasoning) : usage,
  message(message, { answer, choice, streamed }) {
    // In a stream each event names the sources: they are told once, at the end.
    if (message.annotations !== undefined || (streamed && !isEnding(choice))) return message;
    const annotations = citationsOf(answer);
    return annotations.length === 0 ? message : { ...message, annotations };
  },
  answer(answer, streamed) {
    if (!streamed) return answer;
    const choices = Array.isArray(answer.choices) ? answer.choices : [];
    const ending = choices.length === 0 || choices.some((choice) => isObject(choice) && isEnding(choice));
    const { usage, citations: _citations, search_results: _results, ...chunk } = answer;
    const sources = ending ? { citations: answer.citations, search_results: answer.search_results } : {};
    return { ...chunk, object: 'chat.completion.chunk', ...(ending && usage !== undefined && { usage }), ...sources };
  },
};

function isEnding(choice: JsonObject): boolean {
  return typeof choice.finish_reason === 'string';
}

/** Its search results, which have titles; else the bare addresses. */
function citationsOf({ search_results: results, citations }: JsonObject): readonly JsonObject[] {
  const found = Array.isArray(results) && results.length > 0 ? results : Array.isArray(citations) ? citations : [];
  return found.flatMap((source: unknown) => {
    const url = isObject(source) ? source.url : source;
    if (typeof url !== 'string') return [];
    const title = isObject(source) && typeof source.title === 'string' ? source.title : url;
    return [annotationObject({ url, title, startIndex: 0, endIndex: 0 })];
  });
}
