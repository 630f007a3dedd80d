import { failuresForCohere } from '../failures.ts';
import { jsonOperation } from './json-operation.ts';
import type { Operation } from '../parts.ts';

export const embeddings = jsonOperation(
  {
    operationId: 'createEmbedding',
    summary: 'Create embeddings',
    description:
      'Returns a vector for each text. A list that exceeds the batch limit of the provider is split into several calls, and the results keep their order.',
    tags: ['Embeddings'],
  },
  'EmbeddingRequest',
  'EmbeddingList',
);

export const rerank = jsonOperation(
  {
    operationId: 'createRerank',
    summary: 'Rerank documents',
    description: 'Sorts documents by their relevance to a query. Compatible with Jina’s clients.',
    tags: ['Rerank'],
  },
  'RerankRequest',
  'RerankResult',
);

export const rerankOfCohere: Operation = {
  ...rerank,
  operationId: 'createRerankV2',
  summary: 'Rerank documents (Cohere)',
  description:
    'The same as `/v1/rerank`, compatible with Cohere’s clients. Errors also have the top-level `message` that they read.',
  responses: { ...rerank.responses, ...failuresForCohere },
};
