import { z } from 'zod';
import { modelNameSchema, storedText } from '../../../protocols/canonical/validation/common-members.ts';

const text = z.string().min(1);
const token = z.int().min(0);

/**
 * The body of `POST /v1/embeddings`. Source: OpenAI's API document, CreateEmbeddingRequest, which accepts no further
 * members; `input_type` is Cohere's, and other providers have it under other names.
 */
export const embeddingsRequestSchema = z
  .strictObject({
    model: modelNameSchema,
    input: z
      .union([
        text,
        z
          .array(z.union([text, token, z.array(token).min(1).max(2048)]))
          .min(1)
          .max(2048),
      ])
      .describe('A string, up to 2,048 strings, a list of tokens, or lists of tokens.'),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('Default: `float`. `base64`: consecutive little-endian float32 values.'),
    dimensions: z.int().min(1).nullish().describe('Length of each embedding, if the model supports several.'),
    input_type: z
      .enum(['query', 'document', 'classification', 'clustering', 'search_query', 'search_document'])
      .nullish()
      .describe(
        'Purpose of the embeddings, for providers with such a parameter: Cohere, Google, Voyage, Jina, NVIDIA.',
      ),
    user: storedText(64).nullish().describe('A stable identifier of your end user.'),
  })
  .meta({ id: 'EmbeddingRequest' });

export type EmbeddingsBody = z.infer<typeof embeddingsRequestSchema>;
