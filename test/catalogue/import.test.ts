import { describe, expect, it } from 'vitest';
import { readMediaPrices } from '../../src/catalogue/sources/media-prices.ts';
import { mergeModels } from '../../src/catalogue/sources/merge.ts';
import { readModelsDev } from '../../src/catalogue/sources/models-dev.ts';

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
  it('is read with decimals that have no exponent, tiers in order, under our ids, without other providers', () => {
    const providers = { google: { id: 'google', models: { small } }, other: { models: { big: small } } };
    const { models, source } = readModelsDev(providers, '2026-02-03');
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

  it('may have a head, whose date then counts', () => {
    const kept = { source: 's', commit: 'c', date: '2026-01-01', providers: { openai: { models: { small } } } };
    expect(readModelsDev(kept, '2026-02-03').models[0]?.priceVersion).toBe('models.dev@2026-01-01');
  });

  it.each([
    ['another form', { openai: { models: { small: { name: 5 } } } }],
    ['a list', []],
    ['a negative price', { openai: { models: { small: { ...small, cost: { input: -1, output: 1 } } } } }],
    ['no provider of ours', { other: { models: { small } } }],
  ])('is refused in %s', (_what, value) => {
    expect(() => readModelsDev(value, '2026-02-03')).toThrow();
  });
});

describe("Portkey's file", () => {
  const version = 'portkey@2026-01-01';
  const read = (prices: object, model = 'm', provider = { id: 'openai' }) =>
    readMediaPrices(provider, { [model]: { pricing_config: { pay_as_you_go: prices } } }, version)[0];

  it('is in cents a token, and becomes USD a million, exactly', () => {
    const prices = { request_token: { price: 0.000125 }, response_token: { price: 0.00000375 } };
    expect(read(prices)?.rates).toEqual({ input: '1.25', output: '0.0375' });
  });

  it('has images by quality and size, where `default` is any other', () => {
    const image = { default: { default: { price: 4 } }, hd: { '1024x1792': { price: 12 } } };
    expect(read({ image })?.rates?.units).toEqual([
      { unit: 'image', price: '0.04' },
      { unit: 'image', price: '0.12', size: '1024x1792', quality: 'hd' },
    ]);
  });

  it('has what is too dear for a token of sound by the minute, and text to speech by the character', () => {
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

  it('knows nothing where it says 0, and nothing certain where it has bands or a price that no token has', () => {
    expect(read({ request_token: { price: 0 }, response_token: { price: 0 } })).toBeUndefined();
    expect(read({ request_token: { price: 0.4 }, response_token: { price: 0 } }, 'ocr')).toBeUndefined();
    const bands = (above: number) => ({
      'm-lte-200k': { pricing_config: { pay_as_you_go: { request_token: { price: 0.0001 } } } },
      'm-gt-200k': { pricing_config: { pay_as_you_go: { request_token: { price: above } } } },
    });
    expect(readMediaPrices({ id: 'gemini' }, bands(0.0002), version)).toEqual([]);
    expect(readMediaPrices({ id: 'gemini' }, bands(0.0001), version).map(({ id }) => id)).toEqual(['gemini/m']);
  });
});

describe('two sources', () => {
  const [known] = readModelsDev({ anthropic: { models: { m: small } } }, '2026-01-01').models;
  const price = (rates: object) =>
    readMediaPrices(
      { id: 'anthropic' },
      { m: { pricing_config: { pay_as_you_go: rates } }, n: { pricing_config: { pay_as_you_go: rates } } },
      'portkey@2026-02-02',
    );

  it('make one record: the second only adds what the first lacks, and is named then', () => {
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

  it('know what sound costs at Google’s second shop, where its text costs the same', () => {
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
    const merged = mergeModels(readModelsDev(google, '2026-02-03').models, vertex);
    const rates = Object.fromEntries(merged.map(({ id, rates: given }) => [id, given]));
    expect(rates['google-vertex/same']).toEqual({ input: '1', output: '10', audioInput: '4', audioOutput: '20' });
    expect(rates['google-vertex/dearer']).toEqual({ input: '2', output: '10' });
    expect(rates['google-vertex/told']).toMatchObject({ audioInput: '5', audioOutput: '20' });
  });

  it('leave the first as it is where the second knows no more', () => {
    expect(mergeModels(known ? [known] : [], price({ request_token: { price: 9 } }))[0]).toEqual(known);
  });
});
