import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/answer-promise.ts';
import { refuseOrDrop } from '../shared/parameters.ts';
import { rerankAsked, rerankDocument } from '../shared/rerank-document.ts';
import { documentTexts, untakenOfRerank, type RerankRequest } from '../shared/rerank-request.ts';
import { requireModel } from './models.ts';
import { countTokens } from './tokens.ts';
import { wordsOf } from './words.ts';

export const SANDBOX_RERANK_MODEL = 'rerank';

/**
 * Ranks by shared words. A document's score is the part of the query's words that it holds, and of those that hold as many the
 * one that says little else is before: from 0, no word in common, to 1, the same words.
 */
export const sandboxRerank: Send<RerankRequest> = ({ request, model, parameters }, receiver) => {
  requireModel(model, SANDBOX_RERANK_MODEL);
  const dropped = refuseOrDrop('sandbox', untakenOfRerank(request, []), parameters);
  const asked = rerankAsked('sandbox', model, request);
  const texts = documentTexts(request);
  const query = new Set(wordsOf(request.query));
  answerPromise(receiver, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), countTokens(request.query) * texts.length);
    const results = texts.map((text, index) => ({ index, score: scoreOf(query, text) }));
    return rerankDocument(asked, { id: null, results, tokens, searchUnits: null });
  });
  return dropped;
};

function scoreOf(query: ReadonlySet<string>, text: string): number {
  const words = new Set(wordsOf(text));
  const shared = [...query].filter((word) => words.has(word)).length;
  return shared / Math.sqrt(query.size * words.size);
}
