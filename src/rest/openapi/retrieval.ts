import { jsonOperation } from './parts.ts';

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
    description: 'Orders documents by how well they answer a query, as Cohere’s and Jina’s clients ask for it.',
    tags: ['Rerank'],
  },
  'RerankRequest',
  'RerankResult',
);
