import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';
import { decimal, ratePattern } from './prices/decimal.ts';
import type { ModelRecord } from './model-record.ts';
import type { RateBand, TieredRates, TokenRates } from './prices/token-rates.ts';
import { mediaUnits } from './prices/unit-price.ts';

/** YAML parses unquoted decimals as numbers. */
const rate = z
  .union([z.string(), z.number().nonnegative().max(1_000_000_000).transform(decimal)])
  .refine((text) => ratePattern.test(text), 'a price is a plain decimal of USD, such as "1.25"');
const count = z.int().positive().max(2_000_000_000);
const words = z.array(z.string().regex(/^[a-z0-9_]{1,32}$/)).min(1);

/** USD per 1,000,000 tokens. */
const bandShape = {
  input: rate.describe('USD per 1,000,000 input tokens.'),
  output: rate.describe('USD per 1,000,000 output tokens.'),
  cached_input: rate.optional().describe('USD per 1,000,000 cached input tokens.'),
  cache_write: rate.optional().describe('USD per 1,000,000 tokens written to a cache.'),
  cache_write_1h: rate.optional().describe('USD per 1,000,000 tokens written to a cache for an hour.'),
  reasoning: rate.optional().describe('USD per 1,000,000 reasoning tokens.'),
  audio_input: rate.optional().describe('USD per 1,000,000 audio input tokens.'),
  audio_output: rate.optional().describe('USD per 1,000,000 audio output tokens.'),
  image_input: rate.optional().describe('USD per 1,000,000 image input tokens.'),
  image_output: rate.optional().describe('USD per 1,000,000 image output tokens.'),
};
const bandSchema = z.strictObject(bandShape);

const tiersSchema = z
  .array(bandSchema.extend({ above_tokens: count }))
  .max(16)
  .optional()
  .describe('Rates of whole requests whose input is longer than `above_tokens`.');
const tieredSchema = bandSchema.extend({ tiers: tiersSchema });

const unitSchema = z.strictObject({
  unit: z.enum(mediaUnits).describe('Unit of the price.'),
  price: rate.describe(
    'USD per image, megapixel, minute of audio, second of video, 1,000,000 characters, search, document or call of a tool.',
  ),
  size: z.string().optional().describe('Size of the images that have this price.'),
  quality: z.string().optional().describe('Quality of the images that have this price.'),
  minimum: z.number().positive().max(1_000_000).optional().describe('Quantity that is billed at least.'),
});

const overrideSchema = z
  .strictObject({
    ...bandShape,
    input: rate.optional().describe('USD per 1,000,000 input tokens.'),
    output: rate.optional().describe('USD per 1,000,000 output tokens.'),
    tiers: tiersSchema,
    service_tiers: z
      .strictObject({
        priority: tieredSchema.optional(),
        flex: tieredSchema.optional(),
        batch: tieredSchema.optional(),
      })
      .optional()
      .describe('Rates of requests that the provider served in the class `priority` or `flex`, or by its batch API.'),
    request: rate.optional().describe('USD per request.'),
    units: z.array(unitSchema).max(256).optional().describe('Prices of other units than tokens.'),
    name: z.string().min(1).max(256).optional().describe('Name in lists.'),
    context_window: count.optional().describe('Context window in tokens.'),
    max_output_tokens: count.optional().describe('Maximum output in tokens.'),
    input_modalities: words.optional().describe('Modalities of the input, for example `[text, image]`.'),
    output_modalities: words.optional().describe('Modalities of the output.'),
    capabilities: words.optional().describe('Capabilities of the model.'),
  })
  .refine((override) => !setsPrice(override) || (override.input !== undefined && override.output !== undefined), {
    error: 'prices must be complete: `input` and `output` are required; "0" where there is none',
  });

/**
 * The section `models` of `sluice.yaml`, by `provider/model`. Configured members override the catalogue; prices are
 * replaced as a whole.
 */
export const modelOverridesSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]*\/.+$/, 'a model is named provider/model'),
  overrideSchema,
);

export type ModelOverrides = z.infer<typeof modelOverridesSchema>;
type ModelOverride = z.infer<typeof overrideSchema>;

/** The record with the operator's overrides. The version of overridden prices is a hash of them. */
export function overridden(record: ModelRecord, override: ModelOverride): ModelRecord {
  const rates = toRates(override);
  return {
    ...record,
    name: override.name ?? record.name,
    contextWindow: override.context_window ?? record.contextWindow,
    maxOutputTokens: override.max_output_tokens ?? record.maxOutputTokens,
    inputModalities: override.input_modalities ?? record.inputModalities,
    outputModalities: override.output_modalities ?? record.outputModalities,
    capabilities: override.capabilities ?? record.capabilities,
    ...(rates && { rates, priceVersion: `override@${shortHash(rates)}` }),
  };
}

function setsPrice(override: object): boolean {
  const priced = [...Object.keys(bandShape), 'tiers', 'service_tiers', 'request', 'units'];
  return Object.entries(override).some(([name, value]) => value !== undefined && priced.includes(name));
}

/** Null if it sets no price. */
function toRates(override: ModelOverride): TokenRates | null {
  const { input, output, service_tiers: services, request, units } = override;
  if (input === undefined || output === undefined) return null;
  return {
    ...toTieredRates({ ...override, input, output }),
    ...(services && {
      serviceTiers: {
        ...(services.priority && { priority: toTieredRates(services.priority) }),
        ...(services.flex && { flex: toTieredRates(services.flex) }),
        ...(services.batch && { batch: toTieredRates(services.batch) }),
      },
    }),
    ...(request !== undefined && { request }),
    ...(units && { units }),
  };
}

function toTieredRates(override: z.infer<typeof tieredSchema>): TieredRates {
  const { tiers } = override;
  return {
    ...toBand(override),
    ...(tiers && { tiers: tiers.map((tier) => ({ aboveTokens: tier.above_tokens, ...toBand(tier) })) }),
  };
}

function toBand(override: z.infer<typeof bandSchema>): RateBand {
  return {
    input: override.input,
    output: override.output,
    ...(override.cached_input !== undefined && { cachedInput: override.cached_input }),
    ...(override.cache_write !== undefined && { cacheWrite: override.cache_write }),
    ...(override.cache_write_1h !== undefined && { cacheWrite1h: override.cache_write_1h }),
    ...(override.reasoning !== undefined && { reasoning: override.reasoning }),
    ...(override.audio_input !== undefined && { audioInput: override.audio_input }),
    ...(override.audio_output !== undefined && { audioOutput: override.audio_output }),
    ...(override.image_input !== undefined && { imageInput: override.image_input }),
    ...(override.image_output !== undefined && { imageOutput: override.image_output }),
  };
}

/** Equal prices have the same hash, independent of their order. */
function shortHash(rates: TokenRates): string {
  return createHash('sha256').update(canonicalJson(rates)).digest('hex').slice(0, 12);
}
