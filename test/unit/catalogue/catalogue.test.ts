import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Catalogue, shippedCatalogue, unknownModel } from '../../../src/catalogue/catalogue.ts';
import { freeModels } from '../../../src/catalogue/free-models.ts';
import { readAllModels, readHead, writeModelLines } from '../../../src/catalogue/model-lines.ts';
import { modelOverridesSchema } from '../../../src/catalogue/model-overrides.ts';
import { compileRates } from '../../../src/catalogue/prices/price.ts';
import { sandboxModels } from '../../../src/catalogue/sandbox-models.ts';
import { importedProviders } from '../../../src/cli/catalogue/imported-providers.ts';
import { CONTEXT_WINDOW, MAX_OUTPUT_TOKENS } from '../../../src/providers/sandbox/chat/answer.ts';

const text = readFileSync(shippedCatalogue, 'utf8');
const shipped = readAllModels(text);
const folder = mkdtempSync(join(tmpdir(), 'sluice-catalogue-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the shipped catalogue', () => {
  const catalogue = new Catalogue();

  it('names its sources, and contains the notices of their licences', () => {
    const { sources } = readHead(text);
    expect(sources.map(({ name }) => name.split(' ')[0])).toEqual(['models.dev', 'Portkey']);
    for (const { licence, date } of sources) {
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      const notice = new URL(`../../../src/catalogue/${licence.replace('MIT, see ', '')}`, import.meta.url);
      expect(readFileSync(notice, 'utf8')).toMatch(/MIT License[^]*Copyright \(c\) \d{4} (models\.dev|Portkey\.ai)/);
    }
  });

  it('prices every model by rates that can be compiled, in a version that names source and date', () => {
    expect(shipped.length).toBeGreaterThan(1_500);
    const pages: { source: string; date: string }[] = JSON.parse(
      readFileSync(new URL('../../../src/catalogue/sources/published-prices.json', import.meta.url), 'utf8'),
    );
    const published = new Set(pages.map(({ source, date }) => `${new URL(source).hostname}@${date}`));
    for (const { id, rates, priceVersion } of shipped) {
      const versions = priceVersion.split('+');
      for (const version of versions.filter((each) => !published.has(each)))
        expect(version, id).toMatch(/^(models\.dev|portkey)@\d{4}-\d{2}-\d{2}$/);
      expect(new Set(versions).size, id).toBe(versions.length);
      if (rates) expect(() => compileRates(rates), id).not.toThrow();
    }
  });

  it('has no rate that is out of proportion to the other rates of its model', () => {
    for (const { id, rates } of shipped) {
      if (!rates) continue;
      const { input, cachedInput, cacheWrite, cacheWrite1h } = rates;
      expect(Number(input), id).toBeLessThanOrEqual(600);
      if (cacheWrite1h) expect(Number(cacheWrite1h), id).toBeGreaterThan(Number(cacheWrite));
      if (cachedInput && id.startsWith('anthropic/')) expect(Number(cachedInput), id).toBeLessThan(Number(input));
      for (const unit of rates.units ?? []) expect(Number(unit.price), `${id} ${unit.unit}`).toBeGreaterThan(0);
    }
  });

  it('finds a model by its canonical name', () => {
    expect(catalogue.get('openai/gpt-5.5')).toMatchObject({
      provider: 'openai',
      capabilities: expect.arrayContaining(['chat', 'tools', 'json_schema', 'reasoning', 'vision']),
      rates: { input: '5', cachedInput: '0.5', output: '30', tiers: [{ aboveTokens: 272_000, input: '10' }] },
    });
    expect(catalogue.get('openai/text-embedding-3-small')?.capabilities).toEqual(['embeddings']);
    expect(catalogue.get('gpt-5.5')).toBeUndefined();
    expect(catalogue.get('')).toBeUndefined();
    expect(catalogue.get('../openai/gpt-5.5')).toBeUndefined();
  });

  it.each([
    ['openai/whisper-1', 'transcription', { units: [{ unit: 'audio_second', price: '0.006' }] }],
    ['openai/tts-1', 'speech', { units: [{ unit: 'character', price: '15' }] }],
    ['openai/sora-2', 'video', { units: [{ unit: 'video_second', price: '0.1', size: '720x1280' }, {}] }],
    ['openai/gpt-4o-audio-preview', 'chat', { audioInput: '100', audioOutput: '200' }],
    ['gemini/gemini-2.5-flash', 'chat', { audioInput: '1', cachedInput: '0.03' }],
    ['gemini/gemini-2.5-pro', 'chat', { tiers: [{ aboveTokens: 200_000, output: '15' }] }],
    ['anthropic/claude-sonnet-4-5', 'chat', { cachedInput: '0.3', cacheWrite: '3.75', cacheWrite1h: '6' }],
    ['alibaba/qwen-plus', 'chat', { output: '1.2', reasoning: '4' }],
    ['cohere/rerank-v3.5', 'rerank', { units: [{ unit: 'search', price: '0.002' }] }],
    ['together/black-forest-labs/FLUX.1-schnell', 'images', { units: [{ unit: 'megapixel', price: '0.0027' }] }],
    ['deepgram/nova-3', 'transcription', { units: [{ unit: 'audio_second', price: '0.0043' }] }],
  ])('prices %s, a model for %s, by its own units', (id, capability, prices) => {
    expect(catalogue.get(id)).toMatchObject({ capabilities: expect.arrayContaining([capability]), rates: prices });
  });

  it('prices an image by its size and quality', () => {
    const units = catalogue.get('openai/dall-e-3')?.rates?.units;
    expect(units).toContainEqual({ unit: 'image', price: '0.12', size: '1024x1792', quality: 'hd' });
  });

  it('lists each model with exactly one provider', () => {
    const lists = importedProviders.map(({ id }) => catalogue.ofProvider(id));
    expect(
      lists
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([...shipped, ...freeModels].map(({ id }) => id).toSorted());
    expect(catalogue.ofProvider('openai').every(({ provider }) => provider === 'openai')).toBe(true);
    expect(catalogue.ofProvider('sandbox')).toEqual(sandboxModels);
    expect(catalogue.ofProvider('nobody')).toEqual([]);
    expect(catalogue.ofProvider('open')).toEqual([]);
  });

  it('states the limits of the sandbox', () => {
    expect(catalogue.get('sandbox/chat')).toMatchObject({
      contextWindow: CONTEXT_WINDOW,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      rates: null,
    });
  });

  it('has no price for a model that only its provider lists', () => {
    expect(unknownModel('openai', 'gpt-9')).toMatchObject({
      id: 'openai/gpt-9',
      rates: null,
      priceVersion: 'unpriced',
    });
  });
});

describe('a newer catalogue', () => {
  const record = { ...unknownModel('openai', 'gpt-9'), rates: { input: '1', output: '2' }, priceVersion: 'x' };
  const written = (date: string): string => {
    const file = join(folder, `${date}.jsonl`);
    writeFileSync(file, writeModelLines({ sources: [{ name: 'x', licence: 'MIT', date }] }, [record]));
    return file;
  };

  it('replaces the shipped one', () => {
    expect(new Catalogue({ updated: written('2999-01-01') }).ofProvider('openai')).toEqual([record, ...freeModels]);
  });

  it('is ignored if it is older, not a catalogue, or unreadable', () => {
    writeFileSync(join(folder, 'bad.jsonl'), 'no catalogue');
    for (const updated of [written('2001-01-01'), join(folder, 'missing.jsonl'), join(folder, 'bad.jsonl'), folder])
      expect(new Catalogue({ updated }).get('openai/gpt-5.5')?.rates?.input).toBe('5');
  });

  it('is read when its path is set', () => {
    const catalogue = new Catalogue();
    expect(catalogue.get('openai/gpt-9')).toBeUndefined();
    catalogue.use({ updated: written('2999-01-01') });
    expect(catalogue.get('openai/gpt-9')).toEqual(record);
  });
});

describe("an operator's override", () => {
  const parse = (models: unknown) => modelOverridesSchema.parse(models);
  const withOverrides = (models: unknown): Catalogue => new Catalogue({ overrides: parse(models) });

  it('replaces all prices of the catalogue, with a version of its own', () => {
    const catalogue = withOverrides({ 'openai/gpt-5.5': { input: '1.25', output: 10, cached_input: '0.125' } });
    const model = catalogue.get('openai/gpt-5.5');
    expect(model?.rates).toEqual({ input: '1.25', output: '10', cachedInput: '0.125' });
    expect(model?.priceVersion).toMatch(/^override@[0-9a-f]{12}$/);
    expect(model?.capabilities).toContain('tools');
    expect(catalogue.get('openai/gpt-5.4')?.priceVersion).toMatch(/^models\.dev@/);
  });

  it('has a version that depends on its content but not on its order', () => {
    const version = (override: object): string | undefined =>
      withOverrides({ 'openai/gpt-5.5': override }).get('openai/gpt-5.5')?.priceVersion;
    expect(version({ input: '1', output: '2' })).toBe(version({ output: '2', input: '1' }));
    expect(version({ input: '1', output: '2' })).not.toBe(version({ input: '1', output: '3' }));
  });

  it('adds a model that no source has', () => {
    const catalogue = withOverrides({
      'my-vllm/llama': { input: '0', output: '0.5', context_window: 8_192, capabilities: ['chat', 'tools'] },
    });
    expect(catalogue.ofProvider('my-vllm')).toMatchObject([
      { id: 'my-vllm/llama', name: 'llama', contextWindow: 8_192, rates: { input: '0', output: '0.5' } },
    ]);
  });

  it('retains the prices if it sets none', () => {
    const model = withOverrides({ 'openai/gpt-5.5': { max_output_tokens: 100 } }).get('openai/gpt-5.5');
    expect(model).toMatchObject({ maxOutputTokens: 100, rates: { input: '5' } });
    expect(model?.priceVersion).toMatch(/^models\.dev@/);
  });

  it('sets tiers, service tiers, a price per request, and prices of media', () => {
    const given = {
      input: '1',
      output: '2',
      tiers: [{ above_tokens: 100, input: '3', output: '4', cache_write: '5' }],
      service_tiers: {
        flex: { input: '0.5', output: '1', cached_input: '0.05' },
        priority: { input: '2', output: '4', tiers: [{ above_tokens: 100, input: '6', output: '8' }] },
      },
      request: 0.005,
      units: [{ unit: 'image', price: '0.04', size: '1024x1024' }],
    };
    expect(withOverrides({ 'openai/gpt-5.5': given }).get('openai/gpt-5.5')?.rates).toEqual({
      input: '1',
      output: '2',
      tiers: [{ aboveTokens: 100, input: '3', output: '4', cacheWrite: '5' }],
      serviceTiers: {
        flex: { input: '0.5', output: '1', cachedInput: '0.05' },
        priority: { input: '2', output: '4', tiers: [{ aboveTokens: 100, input: '6', output: '8' }] },
      },
      request: '0.005',
      units: [{ unit: 'image', price: '0.04', size: '1024x1024' }],
    });
  });

  it.each([
    ['a price alone', { 'openai/x': { input: '1' } }],
    ['a cached price without the others', { 'openai/x': { cached_input: '1' } }],
    ['no decimal', { 'openai/x': { input: '1e3', output: '1' } }],
    ['a negative number', { 'openai/x': { input: -1, output: 1 } }],
    ['an unknown member', { 'openai/x': { input: '1', output: '1', prise: '2' } }],
    ['a name without a provider', { x: { input: '1', output: '1' } }],
  ])('is rejected with %s', (_what, models) => {
    expect(modelOverridesSchema.safeParse(models).success).toBe(false);
  });
});
