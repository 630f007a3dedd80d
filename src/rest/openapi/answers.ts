import { z } from 'zod';

/** What `/v1` answers with, for the document. Source: OpenAI's API reference, with Sluice's own members. */
export const errorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ description: 'OpenAI’s form of an error.' });

/** Cohere's clients read `message`. Source: docs.cohere.com/reference/errors. */
export const cohereErrorSchema = errorSchema
  .extend({ message: z.string() })
  .meta({ description: 'OpenAI’s form of an error, with `message` as Cohere’s clients read it.' });

const tokenRates = {
  input: z.string(),
  output: z.string(),
  cachedInput: z.string().optional().describe('Input read from the provider’s cache; as `input` where absent.'),
  cacheWrite: z.string().optional().describe('Input written to the provider’s cache; as `input` where absent.'),
  cacheWrite1h: z.string().optional().describe('The same, kept for an hour; as `cacheWrite` where absent.'),
  reasoning: z.string().optional().describe('As `output` where absent.'),
  audioInput: z.string().optional().describe('As `input` where absent.'),
  audioOutput: z.string().optional().describe('As `output` where absent.'),
  imageInput: z.string().optional().describe('Tokens of pictures given to a model that draws.'),
  imageOutput: z.string().optional().describe('Tokens of pictures made.'),
};
const tierSchema = z.looseObject({ ...tokenRates, aboveTokens: z.int() });

const pricingSchema = z.looseObject({
  unit: z.literal('per_1m_tokens'),
  currency: z.literal('USD'),
  ...tokenRates,
  tiers: z.array(tierSchema).optional().describe('Rates of a whole request with more input tokens than `aboveTokens`.'),
  longInput: tierSchema.optional().describe('The first of the tiers.'),
  serviceTiers: z
    .looseObject({ priority: z.looseObject(tokenRates).optional(), flex: z.looseObject(tokenRates).optional() })
    .optional()
    .describe('Rates of a whole request that the provider served in that class.'),
  request: z.string().optional().describe('For each request, beside its tokens.'),
  units: z
    .array(
      z.looseObject({
        unit: z
          .string()
          .describe('`image`, `megapixel`, `audio_second`, `video_second`, `character`, `search` or `document`.'),
        price: z.string().describe('For an image, megapixel, minute of audio, second of video, 1,000,000 characters.'),
        size: z.string().optional(),
        quality: z.string().optional(),
        minimum: z.number().optional().describe('So many of the unit are paid for at least.'),
      }),
    )
    .optional()
    .describe('What is not counted in tokens.'),
  version: z.string().describe('Where the prices are from, and of which day.'),
});

export const modelSchema = z.object({
  id: z.string().describe('The name that requests use: `provider/model`.'),
  object: z.literal('model'),
  created: z.int().describe('Unix seconds; 0 where it is not known.'),
  owned_by: z.string(),
  name: z.string().describe('For people.'),
  provider: z.string(),
  context_window: z.int().nullable().describe('Tokens.'),
  max_output_tokens: z.int().nullable().describe('Tokens.'),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  capabilities: z.array(z.string()),
  pricing: pricingSchema.nullable().describe('USD by unit, as decimals; null where it is not billed or not known.'),
});

export const modelListSchema = z.object({ object: z.literal('list'), data: z.array(modelSchema) });

export const healthSchema = z.object({ status: z.literal('ok') });

export const readinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.record(z.string(), z.string()),
});
