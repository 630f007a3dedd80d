import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../../errors/index.ts';
import type { CompleteAnswer } from '../http/answer-promise.ts';
import { estimatedTokens } from '../embeddings/embedding-inputs.ts';
import { documentTexts, type RerankRequest } from './rerank-request.ts';

/** The parts of a request that its response needs: the documents only if they are returned. */
export interface RerankingInput {
  readonly provider: string;
  readonly model: string;
  readonly documentCount: number;
  readonly topN: number;
  readonly documents: readonly string[] | null;
  /** Used if the provider reports none. */
  readonly estimatedTokens: number;
  /** Used if the provider reports none. */
  readonly estimatedSearches: number;
}

export interface RerankOutcome {
  readonly id: string | null;
  readonly results: readonly { readonly index: unknown; readonly score: unknown }[];
  /** As reported by the provider; null if they are not. */
  readonly tokens: number | null;
  readonly searchUnits: number | null;
}

/** A search is a query with up to this many documents. Source: cohere.com/pricing, aws.amazon.com/bedrock/pricing. */
const DOCUMENTS_PER_SEARCH = 100;
/** A longer document counts as several, each of this many tokens including the query. Source: the same. */
const TOKENS_PER_DOCUMENT = 500;

export function rerankingInput(provider: string, model: string, request: RerankRequest): RerankingInput {
  const texts = documentTexts(request);
  const query = estimatedTokens([request.query]);
  const sizes = texts.map((text) => query + estimatedTokens([text]));
  const pieces = sizes.reduce((sum, size) => sum + Math.max(1, Math.ceil(size / TOKENS_PER_DOCUMENT)), 0);
  return {
    provider,
    model,
    documentCount: texts.length,
    topN: request.top_n ?? texts.length,
    documents: request.return_documents === true ? texts : null,
    estimatedTokens: sizes.reduce((sum, size) => sum + size, 0),
    estimatedSearches: Math.ceil(pieces / DOCUMENTS_PER_SEARCH),
  };
}

/**
 * A document that both Cohere's and Jina's clients can read: `results` with the best first, `usage` in tokens, and
 * `meta.billed_units` with the searches, or with the tokens where those are billed. If a provider reports neither
 * tokens nor searches, they are estimated and marked with `usage.estimated`. Source: docs.cohere.com/reference/rerank,
 * api.jina.ai/redoc.
 * @throws SluiceError provider_invalid_response for an invalid ranking
 */
export function rerankDocument(input: RerankingInput, outcome: RerankOutcome): CompleteAnswer {
  const { provider, model, documentCount, topN, documents } = input;
  const seen = new Set<number>();
  const results = outcome.results.map(({ index, score }) => {
    if (!isIndex(index, documentCount) || seen.has(index) || typeof score !== 'number' || !Number.isFinite(score))
      throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no ranking' });
    seen.add(index);
    const document = documents === null ? {} : { document: { text: documents[index] ?? '' } };
    return { index, relevance_score: score, ...document };
  });
  results.sort((a, b) => b.relevance_score - a.relevance_score);
  const estimated = outcome.tokens === null && outcome.searchUnits === null;
  const tokens = outcome.tokens ?? (estimated ? input.estimatedTokens : 0);
  const searches = outcome.searchUnits ?? (estimated ? input.estimatedSearches : null);
  const body = {
    id: outcome.id ?? randomUUID(),
    object: 'list',
    model,
    results: results.slice(0, topN),
    usage: { prompt_tokens: tokens, total_tokens: tokens, ...(estimated && { estimated }) },
    meta: { billed_units: searches === null ? { input_tokens: tokens } : { search_units: searches } },
  };
  return { contentType: 'application/json', body: JSON.stringify(body) };
}

function isIndex(value: unknown, count: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < count;
}
