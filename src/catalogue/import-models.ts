import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { ModelRecord, Snapshot } from './model-record.ts';
import type { RateBand, TokenRates } from './token-rates.ts';

/** Providers that Sluice speaks to. Models of others are left out: they could not be called. */
const importedProviders = ['openai'];

const costSchema = z.object({ input: z.number(), output: z.number(), cache_read: z.number().optional() });
/** Rates of requests with more than `size` tokens of input. */
const tierSchema = costSchema.extend({ tier: z.object({ size: z.number() }) });

const modelSchema = z.object({
  name: z.string(),
  release_date: z.string().optional(),
  attachment: z.boolean().default(false),
  reasoning: z.boolean().default(false),
  tool_call: z.boolean().default(false),
  structured_output: z.boolean().default(false),
  cost: costSchema.extend({ tiers: z.array(tierSchema).max(1).default([]) }).optional(),
  limit: z.object({ context: z.number(), output: z.number() }).optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
});

/** The form of models.dev, with a head of its own. Costs are USD per 1,000,000 tokens. */
const sourceSchema = z.object({
  source: z.string(),
  licence: z.string(),
  commit: z.string(),
  date: z.string(),
  providers: z.record(z.string(), z.object({ models: z.record(z.string(), modelSchema) })),
});

type SourceModel = z.infer<typeof modelSchema>;

function toRecord(provider: string, model: string, entry: SourceModel, priceVersion: string): ModelRecord {
  const input = entry.modalities?.input ?? ['text'];
  const output = entry.modalities?.output ?? ['text'];
  return {
    id: `${provider}/${model}`,
    provider,
    name: entry.name,
    contextWindow: entry.limit?.context || null,
    maxOutputTokens: entry.limit?.output || null,
    inputModalities: input.map((modality) => (modality === 'pdf' ? 'file' : modality)),
    outputModalities: output,
    capabilities: capabilities(model, entry, input, output),
    rates: entry.cost ? toRates(entry.cost) : null,
    priceVersion,
    releasedOn: entry.release_date ?? null,
  };
}

function toRates(cost: NonNullable<SourceModel['cost']>): TokenRates {
  const [long] = cost.tiers;
  return { ...toBand(cost), ...(long && { longInput: { aboveTokens: long.tier.size, ...toBand(long) } }) };
}

function toBand({ input, output, cache_read: cached }: z.infer<typeof costSchema>): RateBand {
  return {
    input: decimal(input),
    output: decimal(output),
    ...(cached !== undefined && { cachedInput: decimal(cached) }),
  };
}

function capabilities(
  model: string,
  entry: SourceModel,
  input: readonly string[],
  output: readonly string[],
): string[] {
  if (model.includes('embedding')) return ['embeddings'];
  if (output.includes('image') && (model.includes('image') || !output.includes('text'))) return ['images'];
  const found = ['chat'];
  if (entry.tool_call) found.push('tools');
  if (entry.structured_output) found.push('json_schema');
  if (entry.reasoning) found.push('reasoning');
  if (input.includes('image')) found.push('vision');
  return found;
}

/** The shortest decimal that means this number: never in exponential form. */
function decimal(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, '');
}

const [sourceFile] = process.argv.slice(2);
if (sourceFile === undefined || sourceFile === '--help') {
  process.stdout.write(
    'Usage: node src/catalogue/import-models.ts <models-dev.json>\nWrites src/catalogue/snapshot.json.\n',
  );
  process.exit(sourceFile === undefined ? 2 : 0);
}
const source = sourceSchema.parse(JSON.parse(readFileSync(sourceFile, 'utf8')));
const priceVersion = `models.dev@${source.date}`;
const models = importedProviders.flatMap((provider) =>
  Object.entries(source.providers[provider]?.models ?? {}).map(([model, entry]) =>
    toRecord(provider, model, entry, priceVersion),
  ),
);
const snapshot: Snapshot = {
  source: source.source,
  licence: 'MIT, see NOTICE-models-dev',
  commit: source.commit,
  date: source.date,
  models: models.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
};
writeFileSync(new URL('snapshot.json', import.meta.url), `${JSON.stringify(snapshot, null, 1)}\n`);
process.stdout.write(`${models.length} models written\n`);
