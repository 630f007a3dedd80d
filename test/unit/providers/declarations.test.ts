import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { SettingsError, type ProviderDeclaration } from '../../../src/providers/contract.ts';
import { checkProviderNames, readProviderFolder } from '../../../src/providers/provider-folder.ts';
import { openConnection, providerAliases, providers } from '../../../src/providers/registry.ts';
import { openAiShaped } from '../../../src/providers/shared/openai-compatible/openai-shaped.ts';

const folder = new URL('../../../src/providers/', import.meta.url);
const MAX_DECLARATION_LINES = 45;

describe('the registry', () => {
  it('lists the most used providers first and self-hosted servers last', () => {
    const ids = providers.map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual(['openai', 'anthropic']);
    expect(ids.slice(-5)).toEqual(['llama-cpp', 'lm-studio', 'localai', 'ollama', 'vllm']);
    expect(ids.slice(2, -5)).toEqual(ids.slice(2, -5).toSorted());
  });

  it('contains the provider of every file in openai-compatible', () => {
    const names = providers.map(({ id }) => `${id}.ts`);
    expect(names).toEqual(expect.arrayContaining(readdirSync(new URL('openai-compatible/', folder))));
  });

  it.each(providers.map((provider) => [provider.id, provider] as const))(
    'contains a complete declaration of %s',
    (id, provider) => {
      expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(provider.name).not.toBe('');
      if (provider.documentation !== 'unverified') expect(provider.documentation).toMatch(/^https:\/\/\S+$/);
      if (provider.baseUrl !== null) expect(provider.baseUrl).toMatch(/^https?:\/\/[^/\s]+(\/\S*[^/])?$/);
    },
  );

  it.each([
    ['x-ai', 'xai'],
    ['azure', 'azure-openai'],
    ['mistralai', 'mistral'],
    ['togetherai', 'together'],
    ['fireworks-ai', 'fireworks'],
    ['moonshotai', 'moonshot'],
    ['dashscope', 'alibaba'],
    ['z-ai', 'zai'],
  ])('resolves the alias %s to %s', (other, id) => {
    expect(providerAliases.get(other)).toBe(id);
  });
});

describe('a provider folder', () => {
  const created: string[] = [];
  const folderWith = (files: Readonly<Record<string, string>>): URL => {
    const path = mkdtempSync(join(tmpdir(), 'sluice-providers-'));
    created.push(path);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    return pathToFileURL(`${path}/`);
  };
  const declaration = (id: string): string => `export const ${id} = { id: '${id}', open() {} };`;
  afterAll(() => {
    for (const path of created) rmSync(path, { recursive: true });
  });

  it('is read in alphabetical order, without its subfolders and other files', async () => {
    const files = folderWith({ 'b.ts': declaration('b'), 'a.ts': declaration('a'), 'a.js.map': '{}', 'notes.md': '' });
    mkdirSync(new URL('dialects', files));
    expect((await readProviderFolder(files)).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it.each([
    ['no declaration', 'export const text = 1;', 'exports 0 provider declarations instead of one'],
    ['two declarations', declaration('x') + declaration('y'), 'exports 2 provider declarations instead of one'],
  ])('is rejected by file name if a file exports %s', async (_what, text, message) => {
    const files = folderWith({ 'my-server.ts': text });
    await expect(readProviderFolder(files)).rejects.toThrow(`${files.pathname}my-server.ts ${message}`);
    await expect(readProviderFolder(files)).rejects.toThrow('export const myServer = openAiShaped(');
  });
});

describe('provider names', () => {
  const named = (id: string, providerAliases: string[] = []): ProviderDeclaration =>
    openAiShaped({ id, name: `Provider ${id}`, documentation: 'unverified', baseUrl: null, providerAliases });

  it.each([
    ['two ids', named('x'), { ...named('x'), name: 'Provider y' }],
    ['an id and an alias', named('x'), named('y', ['x'])],
    ['two aliases', named('z', ['x']), named('y', ['x'])],
  ])('are rejected if %s are equal', (_what, one, other) => {
    expect(() => checkProviderNames([one, other])).toThrow(
      `The provider name \`x\` is declared twice: by ${one.name} and by ${other.name}.`,
    );
  });
});

describe('an OpenAI-compatible declaration', () => {
  const files = readdirSync(new URL('openai-compatible/', folder)).map(
    (file) => [file, readFileSync(new URL(`openai-compatible/${file}`, folder), 'utf8')] as const,
  );

  it.each(files)('in %s is short', (_file, text) => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_DECLARATION_LINES);
  });

  it('is quoted in CONTRIBUTING.md as an example', () => {
    const example = readFileSync(new URL('openai-compatible/moonshot.ts', folder), 'utf8');
    expect(readFileSync(new URL('../../CONTRIBUTING.md', folder), 'utf8')).toContain(example);
  });

  it('requires the settings without which a connection cannot be opened', () => {
    const nothing = { apiKey: undefined, baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    for (const id of ['mistral', 'xai', 'zai'])
      expect(() => openConnection(id, { id, ...nothing })).toThrow(
        new SettingsError(`Provider \`${id}\` needs an API key.`),
      );
    const azure = { id: 'azure-openai', ...nothing, apiKey: 'its-key' };
    expect(() => openConnection('azure-openai', azure)).toThrow(SettingsError);
    expect(() => openConnection('azure-openai', { ...azure, options: { resource: 'no host' } })).toThrow(
      new SettingsError('The options of provider `azure-openai` do not form a valid URL.'),
    );
    for (const id of ['ollama', 'localai']) expect(openConnection(id, { id, ...nothing }).provider).toBe(id);
  });
});
