import { z } from 'zod';
import {
  geminiBatchEmbeddingSchema,
  geminiEmbeddingSchema,
} from '../../../../gateway/capabilities/gemini/gemini-embeddings.ts';
import { geminiRequestSchema } from '../../../../gateway/capabilities/gemini/gemini-protocol.ts';

/** Source of all: ai.google.dev/api/generate-content, /tokens, /embeddings and /models. */
const contents = geminiRequestSchema.shape.contents;

const countTokensRequestSchema = z
  .looseObject({
    contents: contents.optional(),
    generateContentRequest: z
      .looseObject({ contents })
      .optional()
      .describe('A complete request, whose tools and system instruction are counted, too. Replaces `contents`.'),
  })
  .describe('One of the two members is required.');

const count = z.int().min(0);

const generateContentResponseSchema = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z
          .looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() })
          .optional()
          .describe('Texts, thoughts and calls of functions, in their order.'),
        finishReason: z.string().optional(),
        index: count.optional(),
      }),
    )
    .optional(),
  promptFeedback: z.looseObject({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z
    .looseObject({
      promptTokenCount: count.optional(),
      candidatesTokenCount: count.optional(),
      cachedContentTokenCount: count.optional(),
      thoughtsTokenCount: count.optional(),
      totalTokenCount: count.optional(),
    })
    .optional(),
  modelVersion: z.string().optional(),
  responseId: z.string().optional(),
});

const countTokensResponseSchema = z.looseObject({ totalTokens: count });

const embedding = z.looseObject({ values: z.array(z.number()) });

const embedContentResponseSchema = z.looseObject({ embedding });

const batchEmbedContentsResponseSchema = z.looseObject({ embeddings: z.array(embedding) });

const googleModelSchema = z.looseObject({
  name: z.string().describe('`models/` and the name of the model.'),
  displayName: z.string(),
  inputTokenLimit: count.optional(),
  outputTokenLimit: count.optional(),
  supportedGenerationMethods: z.array(z.string()),
});

const googleModelListSchema = z.looseObject({ models: z.array(googleModelSchema) });

const googleErrorSchema = z
  .looseObject({
    error: z.looseObject({
      code: z.int().describe('The HTTP status.'),
      message: z.string(),
      status: z.string().describe('For example `INVALID_ARGUMENT`.'),
      details: z
        .array(z.looseObject({ '@type': z.string() }))
        .optional()
        .describe('`BadRequest` names the invalid member, `RetryInfo` the time to wait.'),
    }),
  })
  .describe('An error in Google’s format.');

/** The schemas of Google's API by name. */
export const geminiSchemas = {
  GenerateContentRequest: geminiRequestSchema,
  GenerateContentResponse: generateContentResponseSchema,
  CountTokensRequest: countTokensRequestSchema,
  CountTokensResponse: countTokensResponseSchema,
  EmbedContentRequest: geminiEmbeddingSchema,
  EmbedContentResponse: embedContentResponseSchema,
  BatchEmbedContentsRequest: geminiBatchEmbeddingSchema,
  BatchEmbedContentsResponse: batchEmbedContentsResponseSchema,
  GoogleModel: googleModelSchema,
  GoogleModelList: googleModelListSchema,
  GoogleError: googleErrorSchema,
} as const;
