import { z } from 'zod';
import { decimal } from '../prices/decimal.ts';
import type { CatalogueSource } from '../model-lines.ts';
import type { ModelRecord } from '../model-record.ts';
import type { RateBand, TokenRates } from '../prices/token-rates.ts';
import { capabilitiesOf } from './capabilities.ts';
import type { ImportedProvider } from './imported-provider.ts';

const MODELS_DEV = 'https://models.dev';

const usd = z.number().nonnegative();
const costSchema = z.object({
  input: usd,
  output: usd,
  cache_read: usd.optional(),
  cache_write: usd.optional(),
  /** Alternative names of the two above, used by some models. */
  cached_input: usd.optional(),
  cached_write: usd.optional(),
  reasoning: usd.optional(),
  input_audio: usd.optional(),
  output_audio: usd.optional(),
});
/** Rates of requests with more than `size` tokens of input. */
const tierSchema = costSchema.extend({ tier: z.object({ size: z.int().positive() }) });

const modelSchema = z.object({
  name: z.string(),
  /** `deprecated`, `beta`, `alpha`; absent for most models. */
  status: z.string().optional(),
  release_date: z.string().optional(),
  reasoning: z.boolean().default(false),
  tool_call: z.boolean().default(false),
  structured_output: z.boolean().default(false),
  cost: costSchema.extend({ tiers: z.array(tierSchema).default([]) }).optional(),
  limit: z.object({ context: z.number().optional(), output: z.number().optional() }).optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
});

const providersSchema = z.record(z.string(), z.looseObject({ models: z.record(z.string(), modelSchema) }));

/** A stored copy with a head. */
const exportSchema = z.object({
  source: z.string(),
  commit: z.string(),
  date: z.iso.date(),
  providers: providersSchema,
});

type SourceModel = z.infer<typeof modelSchema>;

export interface ModelsDevFile {
  readonly source: CatalogueSource;
  readonly models: readonly ModelRecord[];
}

/**
 * Reads models.dev's `api.json`: providers by id, each with its models; costs are USD per 1,000,000 tokens. Source: the
 * README of github.com/anomalyco/models.dev. A copy with a head (`source`, `commit`, `date`, `providers`) is read as well.
 * @param readOn `YYYY-MM-DD`, the date of a file that does not state its own
 * @param importedProviders the providers whose models are read
 * @throws z.ZodError for another format, RangeError if it contains none of these providers
 */
export function readModelsDev(
  value: unknown,
  readOn: string,
  importedProviders: readonly ImportedProvider[],
): ModelsDevFile {
  const exported =
    typeof value === 'object' && value !== null && 'providers' in value ? exportSchema.parse(value) : null;
  const providers = exported?.providers ?? providersSchema.parse(value);
  const source: CatalogueSource = {
    name: exported?.source ?? 'models.dev (github.com/anomalyco/models.dev)',
    licence: 'MIT, see NOTICE-models-dev',
    date: exported?.date ?? readOn,
    ...(exported && { commit: exported.commit }),
  };
  const models = importedProviders.flatMap(({ id, modelsDev = [id] }) => {
    const named = modelsDev.find((name) => Object.hasOwn(providers, name));
    return Object.entries((named !== undefined && providers[named]?.models) || {}).map(([model, entry]) =>
      toRecord(id, model, entry, source.date),
    );
  });
  if (models.length === 0) throw new RangeError('it contains no model of a known provider');
  return { source, models };
}

function toRecord(provider: string, model: string, entry: SourceModel, date: string): ModelRecord {
  const input = modalities(entry.modalities?.input);
  const output = modalities(entry.modalities?.output);
  const { tool_call: tools, structured_output: jsonSchema, reasoning } = entry;
  return {
    id: `${provider}/${model}`,
    provider,
    name: entry.name,
    contextWindow: entry.limit?.context || null,
    maxOutputTokens: entry.limit?.output || null,
    inputModalities: input,
    outputModalities: output,
    capabilities: capabilitiesOf({ provider, model, input, output, tools, jsonSchema, reasoning }),
    rates: entry.cost ? toRates(entry.cost) : null,
    priceVersion: `models.dev@${date}`,
    releasedOn: entry.release_date ?? null,
    ...(entry.status === 'deprecated' && { deprecation: { source: MODELS_DEV, readOn: date } }),
  };
}

function modalities(names: readonly string[] = ['text']): string[] {
  return names.map((modality) => (modality === 'pdf' ? 'file' : modality));
}

function toRates(cost: NonNullable<SourceModel['cost']>): TokenRates {
  const tiers = cost.tiers
    .toSorted((a, b) => a.tier.size - b.tier.size)
    .map((tier) => ({ aboveTokens: tier.tier.size, ...toBand(tier) }));
  return { ...toBand(cost), ...(tiers.length > 0 && { tiers }) };
}

function toBand(cost: z.infer<typeof costSchema>): RateBand {
  const rates = {
    cachedInput: cost.cache_read ?? cost.cached_input,
    cacheWrite: cost.cache_write ?? cost.cached_write,
    reasoning: cost.reasoning === cost.output ? undefined : cost.reasoning,
    audioInput: cost.input_audio === cost.input ? undefined : cost.input_audio,
    audioOutput: cost.output_audio === cost.output ? undefined : cost.output_audio,
  };
  return {
    input: decimal(cost.input),
    output: decimal(cost.output),
    ...Object.fromEntries(
      Object.entries(rates).flatMap(([name, rate]) => (rate === undefined ? [] : [[name, decimal(rate)]])),
    ),
  };
}
