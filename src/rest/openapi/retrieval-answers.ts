import { z } from 'zod';

const usage = z.looseObject({
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  estimated: z.boolean().optional().describe('True where the provider told none.'),
});

/** Source: OpenAI's API document, CreateEmbeddingResponse. */
export const embeddingsAnswerSchema = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or base64 of little-endian float32, as was asked.'),
    }),
  ),
  model: z.string(),
  usage,
});

/** Source: docs.cohere.com/reference/rerank, api.jina.ai/redoc. */
export const rerankAnswerSchema = z.looseObject({
  id: z.string(),
  object: z.literal('list'),
  model: z.string(),
  results: z
    .array(
      z.looseObject({
        index: z.int().describe('Of the document in the request.'),
        relevance_score: z.number(),
        document: z.looseObject({ text: z.string() }).optional().describe('With `return_documents`.'),
      }),
    )
    .describe('The best first.'),
  usage,
  meta: z.looseObject({
    billed_units: z
      .looseObject({ search_units: z.int().optional(), input_tokens: z.int().optional() })
      .describe('Searches, each a query with up to 100 documents, of a provider that sells them; tokens of others.'),
  }),
});
