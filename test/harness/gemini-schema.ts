import { FinishReason } from '@google/genai';
import type * as Google from '@google/genai';
import { z } from 'zod';

/** What Sluice makes for Google's clients, strictly. Source: ai.google.dev/api/generate-content; the types of `@google/genai` 3.3.0. */
const count = z.int().min(0);
const thoughtSignature = z.base64().optional();

const part = z.union([
  z.strictObject({ text: z.string(), thought: z.literal(true).optional(), thoughtSignature }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().min(1),
      name: z.string().min(1),
      args: z.record(z.string(), z.unknown()),
    }),
    thoughtSignature,
  }),
  z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: z.base64() }) }),
]);

export const geminiResponse = z.strictObject({
  candidates: z
    .array(
      z.strictObject({
        content: z.strictObject({ role: z.literal('model'), parts: z.array(part).min(1) }),
        finishReason: z
          .enum({
            STOP: FinishReason.STOP,
            MAX_TOKENS: FinishReason.MAX_TOKENS,
            SAFETY: FinishReason.SAFETY,
          })
          .optional(),
        index: count,
      }),
    )
    .min(1),
  usageMetadata: z
    .strictObject({
      promptTokenCount: count,
      candidatesTokenCount: count,
      totalTokenCount: count,
      cachedContentTokenCount: count.optional(),
      thoughtsTokenCount: count.optional(),
    })
    .optional(),
  modelVersion: z.string().min(1),
  responseId: z.string().regex(/^[0-9a-f]{32}$/),
});

export const geminiError = z.strictObject({
  error: z.strictObject({
    code: z.int().min(400).max(599),
    message: z.string().min(1),
    status: z.string().regex(/^[A-Z_]+$/),
    details: z.array(z.looseObject({ '@type': z.string() })).optional(),
  }),
});

const embedding = z.strictObject({ values: z.array(z.number()) });
const embeddingUsage = z.strictObject({ promptTokenCount: count });

/** Source of this and the next: ai.google.dev/api/embeddings. */
export const geminiEmbedding = z.strictObject({ embedding, usageMetadata: embeddingUsage });
export const geminiEmbeddings = z.strictObject({ embeddings: z.array(embedding), usageMetadata: embeddingUsage });

/** Source: ai.google.dev/api/tokens. */
export const geminiTokenCount = z.strictObject({ totalTokens: count });

/** Source: ai.google.dev/api/models. */
export const geminiModel = z.strictObject({
  name: z.string().startsWith('models/'),
  displayName: z.string(),
  inputTokenLimit: count.optional(),
  outputTokenLimit: count.optional(),
  supportedGenerationMethods: z.array(z.enum(['generateContent', 'countTokens', 'embedContent', 'batchEmbedContents'])),
});

type Answer = Pick<Google.GenerateContentResponse, 'candidates' | 'usageMetadata' | 'modelVersion' | 'responseId'>;

/**
 * They compile only while every value that passes is one of the SDK's.
 * @public
 */
export const responseAsTyped = (response: z.infer<typeof geminiResponse>): Answer => response;
/** @public */
export const embeddingsAsTyped = (
  answer: z.infer<typeof geminiEmbeddings>,
): Pick<Google.EmbedContentResponse, 'embeddings' | 'usageMetadata'> => answer;
/** @public */
export const tokenCountAsTyped = (answer: z.infer<typeof geminiTokenCount>): Google.CountTokensResponse => answer;
/**
 * The SDK calls the methods of a model its actions.
 * @public
 */
export const modelAsTyped = ({
  supportedGenerationMethods: supportedActions,
  ...model
}: z.infer<typeof geminiModel>): Google.Model => ({ ...model, supportedActions });
/** @public */
export const errorAsTyped = ({
  error,
}: z.infer<typeof geminiError>): ConstructorParameters<typeof Google.ApiError>[0] => ({
  message: JSON.stringify({ error }),
  status: error.code,
});
