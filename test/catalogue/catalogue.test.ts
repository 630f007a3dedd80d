import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Catalogue, unknownModel } from '../../src/catalogue/catalogue.ts';
import { compileRates } from '../../src/catalogue/price.ts';
import { sandboxModels } from '../../src/catalogue/sandbox-models.ts';
import snapshot from '../../src/catalogue/snapshot.json' with { type: 'json' };
import { CONTEXT_WINDOW, MAX_OUTPUT_TOKENS } from '../../src/providers/sandbox/answer.ts';

describe('the shipped catalogue', () => {
  const catalogue = new Catalogue();

  it('names its source, and carries the notice of its licence', () => {
    expect(snapshot).toMatchObject({
      source: expect.stringContaining('models.dev'),
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const notice = readFileSync(new URL('../../src/catalogue/NOTICE-models-dev', import.meta.url), 'utf8');
    expect(notice).toContain('MIT License');
    expect(notice).toContain('models.dev');
  });

  it('prices every model by rates that can be compiled, in the version of its source', () => {
    for (const { id, rates, priceVersion } of snapshot.models) {
      expect(priceVersion, id).toBe(`models.dev@${snapshot.date}`);
      if (rates) expect(compileRates(rates).input, id).toBeGreaterThan(0n);
    }
  });

  it('knows a model by its canonical name', () => {
    expect(catalogue.get('openai/gpt-5.5')).toMatchObject({
      provider: 'openai',
      capabilities: expect.arrayContaining(['chat', 'tools', 'json_schema', 'reasoning', 'vision']),
      rates: { input: '5', cachedInput: '0.5', output: '30', longInput: { aboveTokens: 272_000, input: '10' } },
    });
    expect(catalogue.get('openai/text-embedding-3-small')?.capabilities).toEqual(['embeddings']);
    expect(catalogue.get('gpt-5.5')).toBeUndefined();
  });

  it('lists the models of one provider', () => {
    expect(catalogue.ofProvider('openai').map(({ id }) => id)).toEqual(snapshot.models.map(({ id }) => id));
    expect(catalogue.ofProvider('sandbox')).toEqual(sandboxModels);
    expect(catalogue.ofProvider('nobody')).toEqual([]);
  });

  it('says of the sandbox what the sandbox does', () => {
    expect(catalogue.get('sandbox/chat')).toMatchObject({
      contextWindow: CONTEXT_WINDOW,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      rates: null,
    });
  });

  it('leaves a model that only its provider knows unpriced', () => {
    expect(unknownModel('openai', 'gpt-9')).toMatchObject({
      id: 'openai/gpt-9',
      rates: null,
      priceVersion: 'unpriced',
    });
  });
});

describe('the import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('writes what models.dev says, decimals without an exponent, and leaves other providers out', () => {
    cpSync(resolve('src/catalogue'), join(folder, 'catalogue'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const model = {
      name: 'Small',
      tool_call: true,
      release_date: '2026-01-02',
      cost: { input: 0.0000005, output: 30, tiers: [{ tier: { size: 200_000 }, input: 1, output: 40.25 }] },
      limit: { context: 4_096, output: 0 },
      modalities: { input: ['text', 'pdf', 'image'], output: ['text'] },
    };
    const source = {
      source: 'models.dev',
      licence: 'MIT',
      commit: 'c',
      date: '2026-02-03',
      providers: { openai: { models: { small: model } }, other: { models: { big: model } } },
    };
    const sourceFile = join(folder, 'source.json');
    writeFileSync(sourceFile, JSON.stringify(source));
    execFileSync(process.execPath, [join(folder, 'catalogue/import-models.ts'), sourceFile]);
    expect(JSON.parse(readFileSync(join(folder, 'catalogue/snapshot.json'), 'utf8'))).toMatchObject({
      date: '2026-02-03',
      models: [
        {
          id: 'openai/small',
          contextWindow: 4_096,
          maxOutputTokens: null,
          inputModalities: ['text', 'file', 'image'],
          capabilities: ['chat', 'tools', 'vision'],
          rates: { input: '0.0000005', output: '30', longInput: { aboveTokens: 200_000, input: '1', output: '40.25' } },
          priceVersion: 'models.dev@2026-02-03',
          releasedOn: '2026-01-02',
        },
      ],
    });
  });
});
