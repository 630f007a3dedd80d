import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAllModels } from '../../../src/catalogue/model-lines.ts';
import { readMediaPrices } from '../../../src/catalogue/sources/media-prices.ts';
import { mergeModels } from '../../../src/catalogue/sources/merge.ts';
import { readModelsDev } from '../../../src/catalogue/sources/models-dev.ts';
import { withPublishedDeprecations } from '../../../src/catalogue/sources/published-deprecations.ts';
import { withPublishedPrices } from '../../../src/catalogue/sources/published-prices.ts';
import { readToolPrices, withToolPrices } from '../../../src/catalogue/sources/hosted-tool-prices.ts';
import { updatedCatalogue } from '../../../src/catalogue/update-catalogue.ts';
import { importedProviders } from '../../../src/cli/catalogue/imported-providers.ts';

const small = {
  name: 'Small',
  tool_call: true,
  release_date: '2026-01-02',
  cost: {
    input: 0.0000005,
    output: 30,
    cache_read: 0.1,
    cache_write: 1.25,
    input_audio: 4,
    tiers: [
      { tier: { size: 500_000 }, input: 2, output: 50 },
      { tier: { size: 200_000 }, input: 1, output: 40.25, cache_read: 0.2 },
    ],
  },
  limit: { context: 4_096, output: 0 },
  modalities: { input: ['text', 'pdf', 'image'], output: ['text'] },
};

describe("models.dev's file", () => {
  it('is read with plain decimals, sorted tiers and our IDs, without unknown providers', () => {
    const providers = { google: { id: 'google', models: { small } }, other: { models: { big: small } } };
    const { models, source } = readModelsDev(providers, '2026-02-03', importedProviders);
    expect(source.date).toBe('2026-02-03');
    expect(models).toEqual([
      {
        id: 'gemini/small',
        provider: 'gemini',
        name: 'Small',
        contextWindow: 4_096,
        maxOutputTokens: null,
        inputModalities: ['text', 'file', 'image'],
        outputModalities: ['text'],
        capabilities: ['chat', 'tools', 'vision'],
        rates: {
          input: '0.0000005',
          output: '30',
          cachedInput: '0.1',
          cacheWrite: '1.25',
          audioInput: '4',
          tiers: [
            { aboveTokens: 200_000, input: '1', output: '40.25', cachedInput: '0.2' },
            { aboveTokens: 500_000, input: '2', output: '50' },
          ],
        },
        priceVersion: 'models.dev@2026-02-03',
        releasedOn: '2026-01-02',
      },
    ]);
  });

  it('may have a head, whose date is used', () => {
    const kept = { source: 's', commit: 'c', date: '2026-01-01', providers: { openai: { models: { small } } } };
    expect(readModelsDev(kept, '2026-02-03', importedProviders).models[0]?.priceVersion).toBe('models.dev@2026-01-01');
  });

  it.each([
    ['another form', { openai: { models: { small: { name: 5 } } } }],
    ['a list', []],
    ['a negative price', { openai: { models: { small: { ...small, cost: { input: -1, output: 1 } } } } }],
    ['no provider of ours', { other: { models: { small } } }],
  ])('is rejected: %s', (_what, value) => {
    expect(() => readModelsDev(value, '2026-02-03', importedProviders)).toThrow();
  });
});

describe("Portkey's file", () => {
  const version = 'portkey@2026-01-01';
  const read = (prices: object, model = 'm', provider = { id: 'openai' }) =>
    readMediaPrices(provider, { [model]: { pricing_config: { pay_as_you_go: prices } } }, version)[0];

  it('is converted exactly from cents per token to USD per million', () => {
    const prices = { request_token: { price: 0.000125 }, response_token: { price: 0.00000375 } };
    expect(read(prices)?.rates).toEqual({ input: '1.25', output: '0.0375' });
  });

  it('prices images by quality and size, and all others by `default`', () => {
    const image = { default: { default: { price: 4 } }, hd: { '1024x1792': { price: 12 } } };
    expect(read({ image })?.rates?.units).toEqual([
      { unit: 'image', price: '0.04' },
      { unit: 'image', price: '0.12', size: '1024x1792', quality: 'hd' },
    ]);
  });

  it('prices audio per minute if the number is too high for a token, and speech per character', () => {
    const minute = { request_token: { price: 0.6 }, request_audio_token: { price: 0.6 } };
    expect(read(minute, 'whisper-1')?.rates).toEqual({
      input: '0',
      output: '0',
      units: [{ unit: 'audio_second', price: '0.006' }],
    });
    expect(read({ request_token: { price: 0.0015 } }, 'tts-1')?.rates).toEqual({
      input: '0',
      output: '0',
      units: [{ unit: 'character', price: '15' }],
    });
    expect(read({ request_token: { price: 0.00025 }, request_audio_token: { price: 0.004 } })?.rates).toEqual({
      input: '2.5',
      output: '0',
      audioInput: '40',
    });
  });

  it('has no rate for 0, for bands without a bound, and for numbers too high for a token', () => {
    expect(read({ request_token: { price: 0 }, response_token: { price: 0 } })).toBeUndefined();
    expect(read({ request_token: { price: 0.4 }, response_token: { price: 0 } }, 'ocr')).toBeUndefined();
    const bands = (above: number) => ({
      'm-lte-200k': { pricing_config: { pay_as_you_go: { request_token: { price: 0.0001 } } } },
      'm-gt-200k': { pricing_config: { pay_as_you_go: { request_token: { price: above } } } },
    });
    expect(readMediaPrices({ id: 'gemini' }, bands(0.0002), version)).toEqual([]);
    expect(readMediaPrices({ id: 'gemini' }, bands(0.0001), version).map(({ id }) => id)).toEqual(['gemini/m']);
  });

  it('has tiers with the bounds that it names, for each service tier', () => {
    const config = (input: number) => ({
      pricing_config: { pay_as_you_go: { request_token: { price: input }, response_token: { price: 2 * input } } },
    });
    const modes = {
      standard: { context_tiers: { short: config(0.0001), long: config(0.0002) } },
      flex: { context_tiers: { short: config(0.00005), long: config(0.0001) } },
      priority: { context_tiers: { short: config(0.0003) } },
    };
    const banded = (base: number) => ({
      ...config(base),
      custom_pricing: {
        context_tier_map: { 0: 'short', 272_000: 'long' },
        regions: { default: { execution_modes: modes } },
      },
    });
    const [model] = readMediaPrices({ id: 'openai' }, { m: banded(0.0001) }, version);
    expect(model?.rates).toEqual({
      input: '1',
      output: '2',
      tiers: [{ aboveTokens: 272_000, input: '2', output: '4' }],
      serviceTiers: {
        flex: { input: '0.5', output: '1', tiers: [{ aboveTokens: 272_000, input: '1', output: '2' }] },
        priority: { input: '3', output: '6' },
      },
    });
    // It contradicts itself.
    expect(readMediaPrices({ id: 'openai' }, { m: banded(0.0005) }, version)).toEqual([]);
  });

  it('has the prices of a batch API, whose discount applies to the cache where the provider says so', () => {
    const prices = (input: number) => ({ request_token: { price: input }, response_token: { price: 5 * input } });
    const m = {
      pricing_config: {
        pay_as_you_go: {
          ...prices(0.0001),
          cache_read_input_token: { price: 0.00001 },
          cache_write_input_token: { price: 0.000125 },
        },
        batch_config: prices(0.00005),
      },
    };
    const batchOf = (batchDiscountsCache: boolean): unknown =>
      readMediaPrices({ id: 'anthropic', batchDiscountsCache }, { m }, version)[0]?.rates?.serviceTiers;
    expect(batchOf(false)).toEqual({ batch: { input: '0.5', output: '2.5' } });
    expect(batchOf(true)).toEqual({
      batch: { input: '0.5', output: '2.5', cachedInput: '0.05', cacheWrite: '0.625' },
    });
  });
});

describe('prices of tools that providers run', () => {
  const prices = (additional_units: object) => ({ pricing_config: { pay_as_you_go: { additional_units } } });
  const version = 'portkey@2026-01-01';
  const priced = (file: object, provider = 'openai') => {
    const models = Object.fromEntries(
      ['plain', 'banded', 'm-search-preview', 'text-embedding-m', 'free', 'unpriced'].map((name) => [
        name,
        { ...small, ...(name === 'unpriced' && { cost: undefined }) },
      ]),
    );
    const records = readModelsDev({ [provider]: { models } }, '2026-01-01', importedProviders).models;
    const known = withToolPrices(records, readToolPrices({ id: provider }, file), version);
    return Object.fromEntries(known.map((model) => [model.id.slice(provider.length + 1), model]));
  };

  it('are added to chat models with a price, and name their source', () => {
    const search = prices({ web_search: { price: 3.5 } });
    const models = priced({ plain: search, 'text-embedding-m': search, unpriced: search, 'banded-lte-128k': search });
    const units = [{ unit: 'search', price: '0.035' }];
    expect(models.plain).toMatchObject({
      rates: { output: '30', units },
      priceVersion: `models.dev@2026-01-01+${version}`,
    });
    expect(models.banded?.rates?.units).toEqual(units);
    expect(models['text-embedding-m']).toMatchObject({ priceVersion: 'models.dev@2026-01-01' });
    expect(models['text-embedding-m']?.rates?.units).toBeUndefined();
    expect(models.unpriced?.rates).toBeNull();
    expect(models.free?.rates?.units).toBeUndefined();
  });

  it('depend on the search context size if the provider charges by it', () => {
    const { plain } = priced({
      plain: prices({
        web_search_low_context: { price: 0.5 },
        web_search_medium_context: { price: 0.8 },
        web_search_high_context: { price: 1.2 },
      }),
    });
    expect(plain?.rates?.units).toEqual([
      { unit: 'search', price: '0.005' },
      { unit: 'search', price: '0.008', size: 'medium' },
      { unit: 'search', price: '0.012', size: 'high' },
    ]);
  });

  it('are prices per request for a model that always searches', () => {
    const models = priced({
      'm-search-preview': prices({ web_search: { price: 2.5 } }),
      free: prices({ web_search: { price: 0 } }),
    });
    expect(models['m-search-preview']?.rates).toMatchObject({ request: '0.025' });
    expect(models['m-search-preview']?.rates?.units).toBeUndefined();
    expect(models.free?.rates).not.toHaveProperty('request');
  });

  it('are those of each tool, also of models that do not search the web', () => {
    const calls = { file_search: { price: 0.25 }, attachment_search: { price: 1 }, maps: { price: 2.5 } };
    const xai = { web_search: { price: 0.5 }, x_search: { price: 0.5 }, code_execution: { price: 0.5 } };
    const { plain, free } = priced({ plain: prices(calls), free: prices(xai) });
    expect(plain?.rates?.units).toEqual([
      { unit: 'file_search', price: '0.0025' },
      { unit: 'document_search', price: '0.01' },
    ]);
    expect(free?.rates?.units).toEqual([
      { unit: 'search', price: '0.005' },
      { unit: 'x_search', price: '0.005' },
      { unit: 'code_execution', price: '0.005' },
    ]);
  });
});

describe('prices that a provider publishes', () => {
  const page = { source: 'https://www.example.com/pricing', date: '2026-03-04' };
  const version = 'www.example.com@2026-03-04';
  const [known] = readModelsDev({ groq: { models: { m: small } } }, '2026-01-01', importedProviders).models;
  const models = known ? [known, { ...known, id: 'groq/whisper', capabilities: ['transcription'], rates: null }] : [];
  const priced = (given: object) =>
    new Map(withPublishedPrices(models, [{ ...page, models: given }]).map((model) => [model.id, model]));

  it('add missing rates, and replace none', () => {
    const units = [{ unit: 'search', price: '0.01' }];
    expect(priced({ 'groq/m': { input: '7', imageOutput: '8', units } }).get('groq/m')).toEqual({
      ...known,
      rates: { ...known?.rates, imageOutput: '8', units },
      priceVersion: `models.dev@2026-01-01+${version}`,
    });
  });

  it('add models, and price models without a price', () => {
    const units = [{ unit: 'audio_second', price: '0.0025' }];
    const all = priced({ 'groq/whisper': { units }, 'voyage/voyage-3': { input: '0.06' }, 'assemblyai/u': { units } });
    expect(all.get('groq/whisper')).toMatchObject({ rates: { input: '0', output: '0', units }, priceVersion: version });
    expect(all.get('voyage/voyage-3')).toMatchObject({
      provider: 'voyage',
      capabilities: ['embeddings'],
      rates: { input: '0.06', output: '0' },
      priceVersion: version,
    });
    expect(all.get('assemblyai/u')?.capabilities).toEqual(['transcription']);
  });

  it('state the rates of a batch API as a part of the usual ones, but not of those of a cache', () => {
    const rates = priced({ 'groq/m': { batchShare: '0.5' } }).get('groq/m')?.rates;
    expect(rates).toMatchObject({ input: known?.rates?.input, output: known?.rates?.output });
    expect(rates?.serviceTiers?.batch).toEqual({
      input: '0.00000025',
      output: '15',
      audioInput: '2',
      tiers: [
        { aboveTokens: 200_000, input: '0.5', output: '20.125' },
        { aboveTokens: 500_000, input: '1', output: '25' },
      ],
    });
  });

  it('add to the rates of a batch API what they lack', () => {
    const own = { input: '3', output: '4' };
    const model = known && { ...known, rates: known.rates && { ...known.rates, serviceTiers: { batch: own } } };
    const [found] = withPublishedPrices(model ? [model] : [], [
      { ...page, models: { 'groq/*': { batchShare: '0.5' } } },
    ]);
    expect(found?.rates?.serviceTiers?.batch).toMatchObject({ ...own, audioInput: '2' });
  });

  it('may apply to all chat models of a provider', () => {
    const units = [{ unit: 'search', price: '0.01' }];
    const all = priced({ 'groq/*': { units } });
    expect(all.get('groq/m')?.rates?.units).toEqual(units);
    expect(all.get('groq/whisper')?.rates).toBeNull();
    expect([...all.keys()]).toEqual(['groq/m', 'groq/whisper']);
  });

  it('are rejected without a page, or with an invalid price', () => {
    expect(() => withPublishedPrices([], [{ date: page.date, models: {} }])).toThrow();
    expect(() => priced({ 'groq/m': { input: 'cheap' } })).toThrow();
    expect(() => priced({ 'groq/m': { units: [{ unit: 'mile', price: '1' }] } })).toThrow();
  });

  it('are retained with data of other sources when models.dev is updated', () => {
    const units = [{ unit: 'search', price: '0.01' }] as const;
    const record = {
      ...known,
      rates: { ...known?.rates, units },
      priceVersion: `${known?.priceVersion}+portkey@2026-02-02+${version}`,
    };
    const head = { sources: [{ name: 'models.dev', licence: 'MIT', date: '2026-01-01' }] };
    const shipped = [head, record].map((line) => `${JSON.stringify(line)}\n`).join('');
    const dearer = { ...small, cost: { ...small.cost, output: 31 } };
    const { text } = updatedCatalogue(
      JSON.stringify({ groq: { models: { m: dearer } } }),
      shipped,
      '2026-05-06',
      importedProviders,
    );
    expect(readAllModels(text)[0]).toMatchObject({
      rates: { output: '31', units },
      priceVersion: `models.dev@2026-05-06+portkey@2026-02-02+${version}`,
    });
  });
});

describe('two sources', () => {
  const [known] = readModelsDev({ anthropic: { models: { m: small } } }, '2026-01-01', importedProviders).models;
  const price = (rates: object) =>
    readMediaPrices(
      { id: 'anthropic' },
      { m: { pricing_config: { pay_as_you_go: rates } }, n: { pricing_config: { pay_as_you_go: rates } } },
      'portkey@2026-02-02',
    );

  it('make one record: the second source only adds missing rates, and is then named', () => {
    const other = price({
      request_token: { price: 0.0001 },
      response_token: { price: 0.0002 },
      cache_write_input_token: { price: 0.000125 },
      response_audio_token: { price: 0.001 },
      additional_units: { cache_write_1h: { price: 0.0002 } },
    });
    const merged = mergeModels(known ? [known] : [], other);
    expect(merged.map(({ id }) => id)).toEqual(['anthropic/m', 'anthropic/n']);
    expect(merged[0]).toEqual({
      ...known,
      rates: { ...known?.rates, audioOutput: '10', cacheWrite1h: '2' },
      priceVersion: 'models.dev@2026-01-01+portkey@2026-02-02',
    });
  });

  it('copy audio rates from Gemini to Vertex AI if their text rates are equal', () => {
    const cost = { input: 1, output: 10 };
    const cheap = { ...small, cost: { ...cost, input_audio: 4, output_audio: 20 } };
    const google = { google: { models: { same: cheap, dearer: cheap, told: cheap } } };
    const prices = (dollars: number, more = {}): object => ({
      pricing_config: {
        pay_as_you_go: { request_token: { price: dollars / 10_000 }, response_token: { price: 0.001 }, ...more },
      },
    });
    const vertex = readMediaPrices(
      { id: 'google-vertex' },
      { same: prices(1), dearer: prices(2), told: prices(1, { request_audio_token: { price: 0.0005 } }) },
      'portkey@2026-02-02',
    );
    const merged = mergeModels(readModelsDev(google, '2026-02-03', importedProviders).models, vertex);
    const rates = Object.fromEntries(merged.map(({ id, rates: given }) => [id, given]));
    expect(rates['google-vertex/same']).toEqual({ input: '1', output: '10', audioInput: '4', audioOutput: '20' });
    expect(rates['google-vertex/dearer']).toEqual({ input: '2', output: '10' });
    expect(rates['google-vertex/told']).toMatchObject({ audioInput: '5', audioOutput: '20' });
  });

  it('merge service tiers if the text rates of both are equal in all tiers', () => {
    const long = { tier: { size: 272_000 }, input: 2, output: 3 };
    const model = (tiers: readonly object[]) =>
      readModelsDev(
        { openai: { models: { m: { ...small, cost: { input: 1, output: 2, tiers } } } } },
        '2026-01-01',
        importedProviders,
      );
    const config = (input: number, output: number) => ({
      pricing_config: { pay_as_you_go: { request_token: { price: input }, response_token: { price: output } } },
    });
    const standard = { context_tiers: { short: config(0.0001, 0.0002), long: config(0.0002, 0.0003) } };
    const flex = { context_tiers: { short: config(0.00005, 0.0001), long: config(0.0001, 0.00015) } };
    const custom = {
      context_tier_map: { 0: 'short', 272_000: 'long' },
      regions: { default: { execution_modes: { standard, flex } } },
    };
    const other = readMediaPrices(
      { id: 'openai' },
      { m: { ...config(0.0001, 0.0002), custom_pricing: custom } },
      'portkey@2026-02-02',
    );
    expect(mergeModels(model([long]).models, other)[0]?.rates?.serviceTiers).toEqual({
      flex: { input: '0.5', output: '1', tiers: [{ aboveTokens: 272_000, input: '1', output: '1.5' }] },
    });
    expect(mergeModels(model([]).models, other)[0]?.rates?.serviceTiers).toBeUndefined();
    expect(mergeModels(model([{ ...long, output: 4 }]).models, other)[0]?.rates?.serviceTiers).toBeUndefined();
  });

  it('leave the first unchanged if the second adds nothing', () => {
    expect(mergeModels(known ? [known] : [], price({ request_token: { price: 9 } }))[0]).toEqual(known);
  });
});

describe('deprecations', () => {
  const shippedModels = readAllModels(readFileSync('src/catalogue/snapshot.jsonl', 'utf8'));
  const file: unknown = JSON.parse(readFileSync('src/catalogue/sources/published-deprecations.json', 'utf8'));

  it('are read from models.dev without a date, and with the date that a provider publishes', () => {
    const models = { old: { ...small, status: 'deprecated' }, older: { ...small, status: 'deprecated' }, small };
    const read = readModelsDev({ openai: { models } }, '2026-02-03', importedProviders).models;
    const entry = { announcedOn: '2026-01-01', shutdownOn: '2026-12-01', replacement: 'openai/small' };
    const published = [{ source: 'https://example.com/a', date: '2026-03-04', models: { 'openai/older': entry } }];
    expect(withPublishedDeprecations(read, published).map(({ id, deprecation }) => [id, deprecation])).toEqual([
      ['openai/old', { source: 'https://models.dev', readOn: '2026-02-03' }],
      ['openai/older', { ...entry, source: 'https://example.com/a', readOn: '2026-03-04' }],
      ['openai/small', undefined],
    ]);
  });

  it('of the catalogue are those that the files state', () => {
    const dated = withPublishedDeprecations(
      shippedModels.map(({ deprecation: _any, ...model }) => model),
      file,
    ).filter(({ deprecation }) => deprecation !== undefined);
    expect(dated.length).toBeGreaterThan(50);
    const shippedById = new Map(shippedModels.map((model) => [model.id, model]));
    for (const { id, deprecation } of dated) expect([id, shippedById.get(id)?.deprecation]).toEqual([id, deprecation]);
    expect(shippedById.get('mistral/devstral-2512')?.deprecation).toEqual({
      source: 'https://models.dev',
      readOn: '2026-07-02',
    });
  });

  it('with a date are kept when the catalogue is updated', () => {
    const shipped = readFileSync('src/catalogue/snapshot.jsonl', 'utf8');
    const providers = { openai: { models: { 'gpt-5-codex': small } } };
    const { text } = updatedCatalogue(JSON.stringify(providers), shipped, '2027-01-01', importedProviders);
    const updated = readAllModels(text).find(({ id }) => id === 'openai/gpt-5-codex');
    expect(updated).toMatchObject({ priceVersion: expect.stringContaining('models.dev@2027-01-01') });
    expect(updated?.deprecation?.shutdownOn).toBe('2026-07-23');
  });

  it('with a fault in the file are rejected', () => {
    const entry = (models: object): unknown => [{ source: 'https://example.com', date: '2026-01-01', models }];
    for (const models of [
      { 'no-provider': { shutdownOn: '2026-01-01' } },
      { 'a/b': {} },
      { 'a/b': { shutdownOn: '1 May' } },
    ])
      expect(() => withPublishedDeprecations([], entry(models))).toThrow();
  });
});
