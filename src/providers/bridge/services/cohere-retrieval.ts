import type { InputType } from '../../shared/embeddings/input-type.ts';
import type { EmbeddingsDialect } from './embeddings.ts';
import type { RerankDialect } from './rerank.ts';

/**
 * Cohere requires the purpose of the texts; its package defaults to `search_query`. Source:
 * docs.cohere.com/reference/embed.
 */
export const cohereEmbeddings: EmbeddingsDialect = {
  supportedParams: () => ['dimensions', 'input_type'],
  options: ({ dimensions, inputType }) => ({
    cohere: {
      ...(dimensions !== null && { outputDimension: dimensions }),
      ...(inputType !== null && { inputType: cohereInputType(inputType) }),
    },
  }),
};

/** Source: docs.cohere.com/reference/rerank. */
export const cohereRerank: RerankDialect = {
  supportedParams: ['max_tokens_per_doc', 'priority'],
  options: ({ max_tokens_per_doc: maxTokensPerDocument, priority }) => ({
    cohere: {
      ...(typeof maxTokensPerDocument === 'number' && { maxTokensPerDoc: maxTokensPerDocument }),
      ...(typeof priority === 'number' && { priority }),
    },
  }),
};

/** Cohere's names, in its own API and in Amazon's. */
export function cohereInputType(kind: InputType): string {
  return kind === 'query' || kind === 'document' ? `search_${kind}` : kind;
}
