import { z } from 'zod';
import { modelNameSchema } from '../common-members.ts';

const text = z.string().min(1);

/**
 * The body of `POST /v1/rerank`: what Cohere's and Jina's have in common, and what one provider or the other has beside.
 * Source: docs.cohere.com/reference/rerank, api.jina.ai/redoc, docs.voyageai.com/reference/reranker-api.
 */
export const rerankRequestSchema = z
  .strictObject({
    model: modelNameSchema,
    query: text.describe('What is searched for.'),
    documents: z
      .array(z.union([text, z.object({ text })]))
      .min(1)
      .max(10_000)
      .describe('Texts to rank, each a string or `{"text": …}`.'),
    top_n: z.int().min(1).nullish().describe('So many of the best; all where absent.'),
    return_documents: z.boolean().nullish().describe('Whether each result holds its document as `{"text": …}`.'),
    max_tokens_per_doc: z.int().min(1).nullish().describe('Documents are cut there. Cohere.'),
    priority: z.int().min(0).max(999).nullish().describe('The lower, the sooner. Cohere.'),
    truncation: z.boolean().nullish().describe('Whether what is too long is cut, or refused. Voyage.'),
  })
  .meta({ id: 'RerankRequest' });
