import { z } from 'zod';

const usage = z.looseObject({
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  estimated: z.boolean().optional().describe('True if the provider reported no usage.'),
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
        .describe(
          'An array of numbers, or base64-encoded little-endian float32 values, depending on `encoding_format`.',
        ),
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
        index: z.int().describe('Index of the document in the request.'),
        relevance_score: z.number(),
        document: z.looseObject({ text: z.string() }).optional().describe('Present if `return_documents` is true.'),
      }),
    )
    .describe('Sorted by relevance, most relevant first.'),
  usage,
  meta: z.looseObject({
    billed_units: z
      .looseObject({ search_units: z.int().optional(), input_tokens: z.int().optional() })
      .describe(
        'Search units (a query with up to 100 documents each), or input tokens, depending on how the provider bills.',
      ),
  }),
});
