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

const pricingSchema = z.looseObject({ unit: z.string(), currency: z.string(), input: z.string(), output: z.string() });

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

export const readinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.record(z.string(), z.string()),
});
