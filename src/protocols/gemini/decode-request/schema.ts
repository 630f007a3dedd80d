import { z } from 'zod';

const parts = z.array(z.looseObject({ text: z.string().nullish(), thoughtSignature: z.string().nullish() }));

const schema = z.record(z.string(), z.unknown());

/** The body of `generateContent`, after `camelCased`. Source: ai.google.dev/api/generate-content. */
export const geminiRequestSchema = z.looseObject({
  contents: z
    .array(z.looseObject({ role: z.string().nullish(), parts: parts.nullish() }))
    .min(1)
    .describe('The conversation so far.'),
  systemInstruction: z.looseObject({ parts: parts.nullish() }).nullish().describe('Instructions.'),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              description: z.string().nullish(),
              parameters: schema.nullish(),
              parametersJsonSchema: schema.nullish(),
            }),
          )
          .nullish(),
      }),
    )
    .nullish()
    .describe('Tools that the model may call.'),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({ mode: z.string().nullish(), allowedFunctionNames: z.array(z.string()).nullish() })
        .nullish(),
    })
    .nullish(),
  generationConfig: z
    .looseObject({
      temperature: z.number().min(0).max(2).nullish(),
      topP: z.number().min(0).max(1).nullish(),
      topK: z.number().nullish(),
      candidateCount: z.int().min(1).max(8).nullish(),
      maxOutputTokens: z.int().min(1).nullish(),
      stopSequences: z.array(z.string()).nullish(),
      seed: z.int().nullish(),
      presencePenalty: z.number().min(-2).max(2).nullish(),
      frequencyPenalty: z.number().min(-2).max(2).nullish(),
      responseMimeType: z.string().nullish(),
      responseSchema: schema.nullish(),
      responseJsonSchema: schema.nullish(),
      responseLogprobs: z.boolean().nullish(),
      logprobs: z.int().min(0).max(20).nullish(),
      thinkingConfig: z
        .looseObject({ thinkingBudget: z.int().nullish(), thinkingLevel: z.string().nullish() })
        .nullish(),
    })
    .nullish(),
});

export type GeminiRequest = Readonly<z.infer<typeof geminiRequestSchema>>;
