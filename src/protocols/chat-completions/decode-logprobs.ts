import { membersOf, objectsOf, textIn, type JsonObject } from '../canonical/json-members.ts';
import type { TokenLogprob } from '../canonical/stream-part.ts';

const NO_LOGPROBS: readonly TokenLogprob[] = [];

/**
 * The log probabilities of a choice's content. Members of a provider's own are kept. Source: OpenAI's API document,
 * ChatCompletionTokenLogprob.
 */
export function decodeLogprobs(logprobs: unknown): readonly TokenLogprob[] {
  if (logprobs === null || logprobs === undefined) return NO_LOGPROBS;
  return objectsOf(membersOf(logprobs).content).map((token) => ({
    ...tokenLogprob(token),
    top_logprobs: objectsOf(token.top_logprobs).map(tokenLogprob),
  }));
}

function tokenLogprob(reported: JsonObject): Omit<TokenLogprob, 'top_logprobs'> {
  const { logprob, bytes } = reported;
  return {
    ...reported,
    token: textIn(reported, 'token'),
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes : null,
  };
}
