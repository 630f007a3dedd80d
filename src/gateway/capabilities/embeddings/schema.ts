import { z } from 'zod';
import { modelNameSchema, storedText } from '../common-members.ts';

const text = z.string().min(1);
const token = z.int().min(0);

/**
 * The body of `POST /v1/embeddings`. Source: OpenAI's API document, CreateEmbeddingRequest, which takes no further member;
 * `input_type` is Cohere's, and other providers have the same under other names.
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
      .describe('A text, up to 2,048 texts, or the tokens of such: one kind of them.'),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('`float` where absent. `base64`: little-endian float32, one after the other.'),
    dimensions: z.int().min(1).nullish().describe('The length of each embedding, where the model lets it be chosen.'),
    input_type: z
      .enum(['query', 'document', 'classification', 'clustering', 'search_query', 'search_document'])
      .nullish()
      .describe(
        'What the texts are embedded for, where the provider can be told: Cohere, Google, Voyage, Jina, NVIDIA.',
      ),
    user: storedText(64).nullish().describe('A stable name of your end user.'),
  })
  .meta({ id: 'EmbeddingRequest' });

export type EmbeddingsBody = z.infer<typeof embeddingsRequestSchema>;
