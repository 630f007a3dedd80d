import { expect, it } from 'vitest';
import { cacheSavings } from '../../../src/catalogue/prices/explain-cost.ts';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../../src/catalogue/prices/price.ts';
import { ratesOfTier, type PricedTokens, type TokenRates } from '../../../src/catalogue/prices/token-rates.ts';
import type { MediaUse } from '../../../src/catalogue/prices/unit-price.ts';
import { tokenUsage } from '../../../src/gateway/capabilities/capability.ts';
import { providers } from '../../../src/providers/registry.ts';

const catalogue = new Catalogue();

function used(inputTokens: number, outputTokens: number, more: Partial<PricedTokens> = {}): PricedTokens {
  return { ...tokenUsage(inputTokens, outputTokens), ...more };
}

function media(use: MediaUse): PricedTokens {
  return used(0, 0, { media: [use] });
}

function ratesOf(model: string, { serviceTier }: PricedTokens): TokenRates {
  const rates = catalogue.get(model)?.rates;
  const own = rates && serviceTier ? ratesOfTier(rates, serviceTier) : rates;
  if (!own) throw new Error(`${model} has no price`);
  return own;
}

function expectCost(model: string, usage: PricedTokens, nano: bigint): void {
  const rates = ratesOf(model, usage);
  expect(costNano(compileRates(rates), usage)).toBe(nano);
  expect(explainCost(rates, usage).reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(nano);
}

const longCache = used(1_000, 0, { cacheWriteTokens: 1_000, cacheWrite1hTokens: 1_000 });

/** The unit, a model of the catalogue, its usage, and the cost in nano-USD, calculated by hand. */
const rows: readonly (readonly [kind: string, model: string, used: PricedTokens, nano: bigint])[] = [
  // 1,000 x 1.25 USD / 1,000,000
  ['input', 'openai/gpt-5', used(1_000, 0), 1_250_000n],
  // 100 x 10
  ['output', 'openai/gpt-5', used(0, 100), 1_000_000n],
  // 600 x 1.25 + 400 x 0.125
  ['cachedInput', 'openai/gpt-5', used(1_000, 0, { cachedTokens: 400 }), 800_000n],
  // 1,000 x 6.25
  ['cacheWrite', 'anthropic/claude-opus-4-5', used(1_000, 0, { cacheWriteTokens: 1_000 }), 6_250_000n],
  // 1,000 x 10
  ['cacheWrite1h', 'anthropic/claude-opus-4-5', longCache, 10_000_000n],
  // 100 x 1.2 + 50 x 4
  ['reasoning', 'alibaba/qwen-plus', used(0, 150, { reasoningTokens: 50 }), 320_000n],
  // 500 x 4.44
  ['audioInput', 'alibaba/qwen-omni-turbo', used(500, 0, { audioInputTokens: 500 }), 2_220_000n],
  // 1,250 x 12
  ['audioOutput', 'openai/gpt-4o-mini-tts', used(0, 1_250, { audioOutputTokens: 1_250 }), 15_000_000n],
  // 200 x 10
  ['imageInput', 'openai/gpt-image-1', used(200, 0, { imageInputTokens: 200 }), 2_000_000n],
  // 1,056 x 40
  ['imageOutput', 'openai/gpt-image-1', used(0, 1_056, { imageOutputTokens: 1_056 }), 42_240_000n],
  // 300,000 x 10 + 1,000 x 45: the longer band for all of it
  ['tiers', 'openai/gpt-5.5', used(300_000, 1_000), 3_045_000_000n],
  // 1,000 x 0.625 + 100 x 5
  ['serviceTiers', 'openai/gpt-5', used(1_000, 100, { serviceTier: 'flex' }), 1_125_000n],
  // 0.025 USD for having asked, 1,000 x 2.5 and 100 x 10
  ['request', 'openai/gpt-4o-search-preview', used(1_000, 100), 28_500_000n],
  // 12 s of 0.006 USD a minute
  ['audio_second', 'openai/whisper-1', media({ unit: 'audio_second', quantity: 12 }), 1_200_000n],
  // 1,234 characters of 15 USD a million
  ['character', 'openai/tts-1', media({ unit: 'character', quantity: 1_234 }), 18_510_000n],
  // 2 x 0.12
  ['image', 'openai/dall-e-3', media({ unit: 'image', quantity: 2, size: '1024x1792', quality: 'hd' }), 240_000_000n],
  // 1.049 x 0.025
  ['megapixel', 'together/black-forest-labs/FLUX.1-dev', media({ unit: 'megapixel', quantity: 1.049 }), 26_225_000n],
  // 8 s x 0.1
  ['video_second', 'openai/sora-2', media({ unit: 'video_second', quantity: 8, size: '1280x720' }), 800_000_000n],
  // 3 x 0.002
  ['search', 'cohere/rerank-v3.5', media({ unit: 'search', quantity: 3 }), 6_000_000n],
  // 2 x 0.0025
  ['file_search', 'openai/gpt-5', media({ unit: 'file_search', quantity: 2 }), 5_000_000n],
  // 2 x 0.01
  ['document_search', 'xai/grok-4', media({ unit: 'document_search', quantity: 2 }), 20_000_000n],
  // 3 x 0.005
  ['x_search', 'xai/grok-4', media({ unit: 'x_search', quantity: 3 }), 15_000_000n],
  ['code_execution', 'xai/grok-4', media({ unit: 'code_execution', quantity: 3 }), 15_000_000n],
];

it.each(rows)('%s: a request to %s costs the listed amount', (_kind, model, usage, nano) =>
  expectCost(model, usage, nano),
);

it('every kind of price in the catalogue has a row', () => {
  const kinds = new Set<string>();
  for (const { id } of providers)
    for (const { rates } of catalogue.ofProvider(id)) {
      for (const [name, rate] of Object.entries(rates ?? {})) if (name !== 'units' && rate !== '0') kinds.add(name);
      for (const { unit } of rates?.units ?? []) kinds.add(unit);
    }
  expect([...kinds].toSorted()).toEqual(rows.map(([kind]) => kind).toSorted());
});

/** Searches of the web, beside the tokens that they come to. */
it.each([
  // 1,000 x 5 + 2 x 0.01
  ['anthropic/claude-opus-4-5', used(1_000, 0, { media: [{ unit: 'search', quantity: 2 }] }), 25_000_000n],
  // 1,000 x 5 + 3 x 0.01
  ['openai/gpt-5.5', used(1_000, 0, { media: [{ unit: 'search', quantity: 3 }] }), 35_000_000n],
  // 1,000 x 1.25 + 0.035
  ['gemini/gemini-2.5-pro', used(1_000, 0, { media: [{ unit: 'search', quantity: 1 }] }), 36_250_000n],
  // 4 x 0.014
  ['gemini/gemini-3-pro-preview', media({ unit: 'search', quantity: 4 }), 56_000_000n],
  // 1,000 x 1 + 0.005, 0.008 and 0.012
  ['perplexity/sonar', used(1_000, 0, { media: [{ unit: 'search', quantity: 1 }] }), 6_000_000n],
  ['perplexity/sonar', used(1_000, 0, { media: [{ unit: 'search', quantity: 1, size: 'low' }] }), 6_000_000n],
  ['perplexity/sonar', used(1_000, 0, { media: [{ unit: 'search', quantity: 1, size: 'medium' }] }), 9_000_000n],
  ['perplexity/sonar', used(1_000, 0, { media: [{ unit: 'search', quantity: 1, size: 'high' }] }), 13_000_000n],
  // 18 x 0.005
  ['perplexity/sonar-deep-research', media({ unit: 'search', quantity: 18 }), 90_000_000n],
  // 7 x 0.025 for pages, 7 x 0.005 for searches
  ['xai/grok-4', media({ unit: 'search', quantity: 7, quality: 'source' }), 175_000_000n],
  ['xai/grok-4', media({ unit: 'search', quantity: 7 }), 35_000_000n],
] as const)('%s: searches of the web cost what the provider asks for them', expectCost);

/** What only the providers' own pages say. */
it.each([
  // An hour of 0.111 USD, half an hour of 0.04
  ['groq/whisper-large-v3', media({ unit: 'audio_second', quantity: 3_600 }), 111_000_000n],
  ['groq/whisper-large-v3-turbo', media({ unit: 'audio_second', quantity: 1_800 }), 20_000_000n],
  // Ten seconds are paid for at least: 10 of 3,600 x 0.111
  ['groq/whisper-large-v3', media({ unit: 'audio_second', quantity: 3 }), 308_333n],
  ['groq/whisper-large-v3', media({ unit: 'audio_second', quantity: 0 }), 0n],
  // An hour of 0.15 and of 0.21
  ['assemblyai/universal-2', media({ unit: 'audio_second', quantity: 3_600 }), 150_000_000n],
  ['assemblyai/universal-3-5-pro', media({ unit: 'audio_second', quantity: 3_600 }), 210_000_000n],
  // 1,000 x 0.06
  ['voyage/voyage-3', used(1_000, 0), 60_000n],
  // 1,056 x 8
  ['openai/gpt-image-1-mini', used(0, 1_056, { imageOutputTokens: 1_056 }), 8_448_000n],
  // Not reported in tokens: 0.052 USD
  ['openai/gpt-image-1-mini', media({ unit: 'image', quantity: 1, size: '1024x1536', quality: 'high' }), 52_000_000n],
] as const)('%s costs what its provider publishes', expectCost);

/** Other classes of service, whose prices go up with the input as the usual ones do. */
it.each([
  // 300,000 x 5 + 1,000 x 22.5: half of the usual class's 10 and 45
  ['openai/gpt-5.5', used(300_000, 1_000, { serviceTier: 'flex' }), 1_522_500_000n],
  // 272,000 x 2.5: not above the bound
  ['openai/gpt-5.5', used(272_000, 0, { serviceTier: 'flex' }), 680_000_000n],
  // 1,000 x 12.5 + 100 x 75
  ['openai/gpt-5.5', used(1_000, 100, { serviceTier: 'priority' }), 20_000_000n],
  // 200,001 x 4.5 + 100 x 27
  ['google-vertex/gemini-2.5-pro', used(200_001, 100, { serviceTier: 'priority' }), 902_704_500n],
] as const)('%s in another class of service costs by the length of its input', expectCost);

const picture: MediaUse = { unit: 'image', quantity: 1, size: '1024x1024', quality: 'medium' };
const minute: MediaUse = { unit: 'audio_second', quantity: 60 };

/** OpenAI prices some models by tokens, and publishes the equivalent price of an image or a minute. */
it.each([
  // 1,056 x 40, and not 0.042 USD for the picture besides
  ['openai/gpt-image-1', used(0, 1_056, { imageOutputTokens: 1_056, media: [picture] }), 42_240_000n],
  // Not reported in tokens: 0.042 USD
  ['openai/gpt-image-1', media(picture), 42_000_000n],
  // 600 x 2.5 + 40 x 10, and not 0.006 USD for the minute besides
  ['openai/gpt-4o-transcribe', used(600, 40, { media: [minute] }), 1_900_000n],
])('usage of %s is priced once', expectCost);

/** What the prompt cache saves at claude-opus-4-5: 5 USD for input, 0.5 read, 6.25 written, a million. */
it.each([
  ['nothing where it is not used', used(1_000, 10), null],
  // 800 x 4.5
  ['the difference of the rates for what is read', used(1_000, 10, { cachedTokens: 800 }), 3_600_000n],
  // 800 x -1.25
  ['less than nothing while it is written', used(1_000, 10, { cacheWriteTokens: 800 }), -1_000_000n],
])('the prompt cache saves %s', (_what, usage, nano) => {
  const { rates = null } = catalogue.named('anthropic', 'claude-opus-4-5') ?? {};
  expect(rates && cacheSavings(rates, usage)).toBe(nano);
});
