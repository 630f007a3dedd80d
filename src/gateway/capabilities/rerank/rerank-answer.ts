import { SluiceError } from '../../../errors/index.ts';
import { mediaUsage, type ParsedResponse, type TokenUsage } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import { documentAnswer } from '../json-document.ts';

/** One search is a query with up to so many documents. Source: cohere.com/pricing. */
const DOCUMENTS_PER_SEARCH = 100;

export interface RerankSummary {
  readonly documents: number;
}

/**
 * Parses a ranking. Tokens are in `usage.total_tokens`, as in Jina's API; searches in `meta.billed_units.search_units`,
 * as in Cohere's. Where neither was reported, `usage.estimated` is true.
 * @throws SluiceError provider_invalid_response
 */
export function parseRerankResponse(provider: string, body: Buffer, summary: RerankSummary): ParsedResponse {
  const answer = tryParse(body.toString());
  if (!isObject(answer) || !Array.isArray(answer.results))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no ranking' });
  const usage = isObject(answer.usage) ? answer.usage : {};
  const meta = isObject(answer.meta) ? answer.meta : {};
  const billed = isObject(meta.billed_units) ? meta.billed_units : {};
  const tokens = count(usage.total_tokens);
  const used = tokens === null ? null : rerankUsed(summary, tokens, count(billed.search_units));
  return documentAnswer(used, usage.estimated === true);
}

/** All units that a model may be priced by; its price selects one. */
export function rerankUsed({ documents }: RerankSummary, tokens: number, searches: number | null): TokenUsage {
  return mediaUsage(
    [
      { unit: 'search', quantity: searches ?? Math.ceil(documents / DOCUMENTS_PER_SEARCH) },
      { unit: 'document', quantity: documents },
    ],
    tokens,
  );
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
