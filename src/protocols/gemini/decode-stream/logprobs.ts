import type { TokenLogprob } from '../../canonical/stream-part.ts';
import { listOf, objectOf, textOf } from '../../canonical/json-members.ts';

/** The sampled tokens and their alternatives. Source: ai.google.dev/api/generate-content, LogprobsResult. */
export function tokenLogprobs(logprobsResult: unknown): readonly TokenLogprob[] {
  const result = objectOf(logprobsResult);
  if (result === null) return [];
  const top = listOf(result.topCandidates).map((step) => listOf(objectOf(step)?.candidates));
  return listOf(result.chosenCandidates).flatMap((chosen, step) => {
    const token = oneToken(chosen);
    return token === null
      ? []
      : [{ ...token, top_logprobs: (top[step] ?? []).map(oneToken).filter((other) => other !== null) }];
  });
}

function oneToken(candidate: unknown): Omit<TokenLogprob, 'top_logprobs'> | null {
  const { token, logProbability } = objectOf(candidate) ?? {};
  // A certain token has none: zero is omitted.
  const logprob = logProbability === undefined ? 0 : logProbability;
  return textOf(token) === null || typeof logprob !== 'number' ? null : { token: String(token), logprob, bytes: null };
}
