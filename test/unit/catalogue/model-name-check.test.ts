import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { checkModelName, suggestModelName } from '../../../src/catalogue/model-name-check.ts';
import { nearest } from '../../../src/catalogue/nearest-name.ts';
import { knownModels, type Served } from '../../../src/gateway/routing/models/known-models.ts';
import { ConnectionSet } from '../../../src/gateway/routing/connection-set.ts';
import { HealthBook } from '../../../src/gateway/routing/health/health-book.ts';
import { openConnection } from '../../../src/providers/registry.ts';
import { createSandboxConnection } from '../../../src/providers/sandbox/sandbox-connection.ts';

const catalogue = new Catalogue();
const lists: Readonly<Record<string, readonly string[]>> = { mine: ['llama-3', 'team/tuned'] };
const baseUrl = 'http://127.0.0.1:1/v1';

function serving(...providers: readonly string[]): Served {
  const connections = providers.map((id) =>
    openConnection(id, { id, apiKey: 'a-key', baseUrl, connectTimeoutMs: 60_000, options: {} }),
  );
  return new ConnectionSet([createSandboxConnection({ tokensPerSecond: 0 }), ...connections], {
    catalogue,
    health: new HealthBook(),
    discovered: ({ provider }) => lists[provider],
  });
}

const known = knownModels(serving('openai', 'mine'), catalogue, new Set(['fast', 'team/slow']));
const hubAlone = knownModels(serving('openrouter'), catalogue, new Set());
const both = knownModels(serving('openrouter', 'gemini'), catalogue, new Set());

describe('a model name', () => {
  it.each([
    ['openai/gpt-5.5', 'openai/gpt-5.5'],
    ['gpt-5.5', 'gpt-5.5'],
    ['openai/GPT-5.5', 'openai/gpt-5.5'],
    ['openai/gpt%2D5.5/', 'openai/gpt-5.5'],
    ['openai/ gpt-5.5?x=1', 'openai/gpt-5.5'],
    ['google/gemini-2.5-pro', 'gemini/gemini-2.5-pro'],
    ['gemini/models/Gemini-2.5-pro', 'gemini/gemini-2.5-pro'],
    ['anthropic/claude-sonnet-4-6', 'anthropic/claude-sonnet-4-6'],
    ['sandbox/chat', 'sandbox/chat'],
    ['mine/llama-3', 'mine/llama-3'],
    ['mine/LLAMA-3', 'mine/llama-3'],
    ['llama-3', 'llama-3'],
    ['team/tuned', 'team/tuned'],
    ['fast', 'fast'],
    ['team/slow', 'team/slow'],
  ])('%s is known, and stored as %s', (name, stored) => {
    expect(checkModelName(name, known, true)).toEqual({ kind: 'known', name: stored });
  });

  it.each([
    ['openai/gpt-5.4-mni', 'openai/gpt-5.4-mni', 'openai/gpt-5.4-mini'],
    [
      'openai/ft:gpt-4o-mini-2024-07-18:my-org::7p4lURel',
      'openai/ft:gpt-4o-mini-2024-07-18:my-org::7p4lURel',
      undefined,
    ],
    ['mine/lama-3', 'mine/lama-3', 'mine/llama-3'],
    ['google/of-tomorrow', 'gemini/of-tomorrow', undefined],
    ['anthropic/gpt-5.5', 'anthropic/gpt-5.5', 'openai/gpt-5.5'],
  ])('%s is not listed by its provider, and would be stored as %s', (name, stored, suggestion) => {
    expect(checkModelName(name, known, true)).toEqual({
      kind: 'unlisted',
      name: stored,
      provider: stored.slice(0, stored.indexOf('/')),
    });
    expect(suggestModelName(name, known, true)).toBe(suggestion);
  });

  it.each([
    ['opnai/gpt-5.5', 'openai/gpt-5.5'],
    ['OpenAI/gpt-5.5', 'openai/gpt-5.5'],
    ['gtp-5.5', 'gpt-5.5'],
    ['FAST', 'fast'],
    ['sandbox/chatt', 'sandbox/chat'],
    ['sandbox/', undefined],
    ['openai/', undefined],
    ['/gpt-5.5', 'gpt-5.5'],
    ['nobody/knows-this-one', undefined],
    ['x'.repeat(256), undefined],
  ])('%s is unknown, and %s is suggested', (name, suggestion) => {
    expect(checkModelName(name, known, true)).toEqual({ kind: 'unknown' });
    expect(suggestModelName(name, known, true)).toBe(suggestion);
  });

  it('is unknown for the name of a route or an alias where a model is required', () => {
    expect(checkModelName('fast', known, false)).toEqual({ kind: 'not_a_model' });
    expect(checkModelName('fsat', known, false)).toMatchObject({ kind: 'unknown' });
    // As a target it would never lead to a model: no connection serves one of this name.
    for (const name of ['openai/fast', 'claude-opus-4-6', 'mine/slow']) {
      const names = knownModels(serving('openai', 'mine'), catalogue, new Set([name]));
      expect([name, checkModelName(name, names, false).kind]).toEqual([name, 'not_a_model']);
      expect(checkModelName(name, names, true)).toEqual({ kind: 'known', name });
    }
    expect(
      checkModelName('openai/gpt-5.5', knownModels(serving(), catalogue, new Set(['openai/gpt-5.5'])), false),
    ).toEqual({ kind: 'known', name: 'openai/gpt-5.5' });
  });

  it('with the prefix of an unconnected provider is known if a hub serves a model of this name', () => {
    const name = 'google/gemini-2.5-pro';
    expect(checkModelName(name, hubAlone, true)).toEqual({ kind: 'known', name });
    expect(checkModelName(name, both, true)).toEqual({ kind: 'known', name: 'gemini/gemini-2.5-pro' });
  });

  it('of a configured provider without a connection here is not listed', () => {
    const other = knownModels(serving(), catalogue, new Set(), new Set(['lab']));
    expect(checkModelName('lab/any', other, true)).toMatchObject({ kind: 'unlisted', provider: 'lab' });
  });
});

describe('the nearest name', () => {
  it('is searched among names of a similar length', () => {
    expect(nearest('abcdefgh', ['abcdefg', 'abcdefgh-and-much-more'])).toBe('abcdefg');
    expect(nearest('ab', ['abcde'])).toBeUndefined();
    expect(nearest('a'.repeat(97), ['a'.repeat(97)])).toBeUndefined();
  });

  it.each([
    ['abcdefgh', 'cdefgh', true],
    ['abcdefgh', 'xyabcdefgh', true],
    ['abcdefgh', 'habcdefg', true],
    ['abcdefgh', 'cdefghab', false],
    [`${'a'.repeat(60)}${'b'.repeat(8)}`, 'a'.repeat(60), true],
    [`${'a'.repeat(60)}${'b'.repeat(9)}`, 'a'.repeat(60), false],
  ])('of %s is %s: %s', (name, other, isNear) => {
    expect(nearest(name, [other])).toBe(isNear ? other : undefined);
  });

  it('is searched among a bounded number of names', () => {
    let read = 0;
    function* endless(): Generator<string> {
      while (read++ < 1_000_000) yield `a-model-of-${read}`;
      throw new Error('read all names');
    }
    expect(nearest('another-name-00', endless())).toBeUndefined();
  });
});

describe('the ids of the catalogue', () => {
  it('include all models, and those that the operator configured', () => {
    const own = new Catalogue({ overrides: { 'lab/model': { input: '1', output: '2' } } });
    const ids = new Set(own.ids());
    expect(ids.has('lab/model') && ids.has('sandbox/chat')).toBe(true);
    for (const provider of ['openai', 'openrouter', 'jina'])
      for (const { id } of own.ofProvider(provider)) expect(ids.has(id), id).toBe(true);
    own.use({ overrides: {} });
    expect(own.ids()).not.toContain('lab/model');
  });
});
