import type { Clock } from '../../calendar/clock.ts';
import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { rerankingInput, rerankDocument } from '../shared/rerank/rerank-document.ts';
import { documentTexts, unsupportedRerankParameters, type RerankRequest } from '../shared/rerank/rerank-request.ts';
import { nextTurn, yieldPeriodically, type YieldIfDue } from '../shared/jobs/yield-periodically.ts';
import { requireModel } from './models.ts';
import { countTokens } from './text/tokens.ts';
import { wordsOf } from './text/words.ts';

export const SANDBOX_RERANK_MODEL = 'rerank';

/** Yields to the event loop after this many words. */
const WORDS_PER_TURN = 64;

/**
 * Ranks by common words. A document's score is the share of the query's words that it contains; of documents with the
 * same share, the one with fewer other words comes first: from 0, no common word, to 1, the same words.
 */
export function sandboxRerank(clock: Clock): Send<RerankRequest> {
  return ({ request, model, parameters }, receiver) => {
    requireModel(model, SANDBOX_RERANK_MODEL);
    const dropped = refuseOrDrop('sandbox', unsupportedRerankParameters(request, []), parameters);
    const rankingInput = rerankingInput('sandbox', model, request);
    const texts = documentTexts(request);
    answerPromise(receiver, async (signal) => {
      await nextTurn();
      const turn = yieldPeriodically(clock, signal);
      const query = new Set<string>();
      await eachNewWord(request.query, query, turn, () => undefined);
      let tokens = countTokens(request.query) * texts.length;
      const results: { readonly index: number; readonly score: number }[] = [];
      for (const [index, text] of texts.entries()) {
        await turn();
        tokens += countTokens(text);
        results.push({ index, score: await scoreOf(query, text, turn) });
      }
      return rerankDocument(rankingInput, { id: null, results, tokens, searchUnits: null });
    });
    return dropped;
  };
}

async function scoreOf(query: ReadonlySet<string>, text: string, turn: YieldIfDue): Promise<number> {
  const words = new Set<string>();
  let shared = 0;
  await eachNewWord(text, words, turn, (word) => {
    if (query.has(word)) shared++;
  });
  return shared / Math.sqrt(query.size * words.size);
}

/** Adds the words of a text, and calls back with each new one. */
async function eachNewWord(
  text: string,
  words: Set<string>,
  turn: YieldIfDue,
  visit: (word: string) => void,
): Promise<void> {
  let count = 0;
  for (const word of wordsOf(text)) {
    if (++count % WORDS_PER_TURN === 0) await turn();
    if (words.has(word)) continue;
    words.add(word);
    visit(word);
  }
}
