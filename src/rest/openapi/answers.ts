import { z } from 'zod';

/** Responses of `/v1`. Source: OpenAI's API reference, with Sluice's additional members. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ description: 'An error in OpenAI’s format.' });

/** Cohere's clients read `message`. Source: docs.cohere.com/reference/errors. */
export const cohereErrorSchema = errorSchema
  .extend({ message: z.string() })
  .meta({ description: 'An error in OpenAI’s format, with the top-level `message` that Cohere’s clients read.' });

const tokenRates = {
  input: z.string(),
  output: z.string(),
  cachedInput: z
    .string()
    .optional()
    .describe('Input tokens read from the provider’s cache. Defaults to the `input` rate.'),
  cacheWrite: z
    .string()
    .optional()
    .describe('Input tokens written to the provider’s cache. Defaults to the `input` rate.'),
  cacheWrite1h: z
    .string()
    .optional()
    .describe('Input tokens written to the provider’s cache for one hour. Defaults to the `cacheWrite` rate.'),
  reasoning: z.string().optional().describe('Reasoning tokens. Defaults to the `output` rate.'),
  audioInput: z.string().optional().describe('Audio input tokens. Defaults to the `input` rate.'),
  audioOutput: z.string().optional().describe('Audio output tokens. Defaults to the `output` rate.'),
  imageInput: z.string().optional().describe('Image input tokens of an image generation model.'),
  imageOutput: z.string().optional().describe('Image output tokens.'),
};
const tierSchema = z.looseObject({ ...tokenRates, aboveTokens: z.int() });

const pricingSchema = z.looseObject({
  unit: z.literal('per_1m_tokens'),
  currency: z.literal('USD'),
  ...tokenRates,
  tiers: z
    .array(tierSchema)
    .optional()
    .describe('Rates of requests with more than `aboveTokens` input tokens. They apply to all tokens of the request.'),
  longInput: tierSchema.optional().describe('The first tier.'),
  serviceTiers: z
    .looseObject({ priority: z.looseObject(tokenRates).optional(), flex: z.looseObject(tokenRates).optional() })
    .optional()
    .describe('Rates of requests that the provider processed in this service tier.'),
  request: z.string().optional().describe('Price per request, in addition to its tokens.'),
  units: z
    .array(
      z.looseObject({
        unit: z
          .string()
          .describe(
            '`image`, `megapixel`, `audio_second`, `video_second`, `character`, `search`, `document`, `file_search`, `document_search`, `x_search` or `code_execution`.',
          ),
        price: z
          .string()
          .describe(
            'Per image, megapixel, minute of audio, second of video, 1,000,000 characters, search or document.',
          ),
        size: z.string().optional(),
        quality: z.string().optional(),
        minimum: z.number().optional().describe('Minimum billed quantity of the unit.'),
      }),
    )
    .optional()
    .describe('Prices of units other than tokens.'),
  version: z.string().describe('Source and date of the prices.'),
});

export const modelSchema = z.object({
  id: z.string().describe('The model name for requests: `provider/model`.'),
  object: z.literal('model'),
  created: z.int().describe('Unix time in seconds. 0 if unknown.'),
  owned_by: z.string(),
  name: z.string().describe('Display name.'),
  provider: z.string(),
  context_window: z.int().nullable().describe('Maximum number of input and output tokens.'),
  max_output_tokens: z.int().nullable().describe('Maximum number of output tokens.'),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  capabilities: z.array(z.string()),
  pricing: pricingSchema
    .nullable()
    .describe('Prices in USD as decimal strings. Null if the model is not billed or its price is unknown.'),
});

export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

export const healthSchema = z.object({ status: z.literal('ok') });

export const readinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.record(z.string(), z.string()),
});
