import type { SeededRandom } from '../text/seeded-random.ts';

const ALTERNATIVES = [' the', ' a', ' and', ' of', ' to', ' in', ' is', ' it', ' for', ' on', ' with', ' as', ' at'];
const MORE = [' by', ' or', ' be', ' an', ' we', ' if', ' so', ' no', ' up', '.', ',', '\n', '!'];
const CANDIDATES = [...ALTERNATIVES, ...MORE];

/**
 * One item of `logprobs.content`, as JSON: the token first, then plausible alternatives, with descending log
 * probabilities.
 */
export function tokenLogprob(token: string, top: number, random: SeededRandom): string {
  let probability = 0.55 + 0.4 * random.next();
  const logprob = Math.log(probability);
  const start = random.below(CANDIDATES.length);
  const others = CANDIDATES.map((_, index) => CANDIDATES[(start + index) % CANDIDATES.length] ?? '');
  const listed = [token, ...others.filter((other) => other !== token)].slice(0, top).map((candidate, index) => {
    if (index > 0) probability *= 0.3 + 0.1 * random.next();
    return `{${measured(candidate, index === 0 ? logprob : Math.log(probability))}}`;
  });
  return `{${measured(token, logprob)},"top_logprobs":[${listed.join(',')}]}`;
}

function measured(token: string, logprob: number): string {
  return `"token":${JSON.stringify(token)},"logprob":${logprob.toFixed(8)},"bytes":[${Buffer.from(token).join(',')}]`;
}
