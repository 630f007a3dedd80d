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
        finishReason: z.enum(['STOP', 'MAX_TOKENS', 'SAFETY']).optional(),
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
