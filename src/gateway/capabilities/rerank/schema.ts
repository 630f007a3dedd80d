import { z } from 'zod';
import { modelNameSchema } from '../../../protocols/canonical/validation/common-members.ts';

const text = z.string().min(1);

/**
 * The body of `POST /v1/rerank`: the members that Cohere and Jina share, and further ones of single providers. Source:
 * docs.cohere.com/reference/rerank, api.jina.ai/redoc, docs.voyageai.com/reference/reranker-api.
 */
export const rerankRequestSchema = z
  .strictObject({
    model: modelNameSchema,
    query: text.describe('The search query.'),
    documents: z
      .array(z.union([text, z.object({ text })]))
      .min(1)
      .max(10_000)
      .describe('Texts to rank, each a string or `{"text": …}`.'),
    top_n: z.int().min(1).nullish().describe('Number of results to return. Default: all.'),
    return_documents: z.boolean().nullish().describe('Whether each result contains its document as `{"text": …}`.'),
    max_tokens_per_doc: z.int().min(1).nullish().describe('Longer documents are truncated. Cohere.'),
    priority: z.int().min(0).max(999).nullish().describe('Lower values are processed first. Cohere.'),
    truncation: z.boolean().nullish().describe('Whether input that is too long is truncated or rejected. Voyage.'),
  })
  .meta({ id: 'RerankRequest' });
