import { failuresForCohere } from './failures.ts';
import { jsonOperation } from './json-operation.ts';
import type { Operation } from './parts.ts';

export const embeddings = jsonOperation(
  {
    operationId: 'createEmbedding',
    summary: 'Embeddings',
    description:
      'A vector for each text. A list that is longer than the provider takes goes out in several calls, and comes back in order.',
    tags: ['Embeddings'],
  },
  'EmbeddingRequest',
  'EmbeddingList',
);

export const rerank = jsonOperation(
  {
    operationId: 'createRerank',
    summary: 'Rerank',
    description: 'Orders documents by how well they answer a query, as Jina’s clients ask for it.',
    tags: ['Rerank'],
  },
  'RerankRequest',
  'RerankResult',
);

export const rerankOfCohere: Operation = {
  ...rerank,
  operationId: 'createRerankV2',
  summary: 'Rerank (Cohere)',
  description:
    'The same at the path of Cohere’s current clients. An error has its text in `message` too, where they read it.',
  responses: { ...rerank.responses, ...failuresForCohere },
};
