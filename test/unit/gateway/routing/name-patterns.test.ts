import { beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { allowedTargets } from '../../../../src/gateway/policy/allowed-targets.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import type { AccountRouteSettings } from '../../../../src/gateway/routing/route-settings.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { key } from '../../../harness/gateway.ts';

const config = `
aliases:
  "claude-*": openai/gpt-4.1
  "claude-haiku-*": cheap
  claude-exact: openai/gpt-4.1-nano
routes:
  cheap: { targets: [openai/gpt-4.1-mini] }
  "gemini-*": { targets: [openai/gpt-4.1, anthropic/claude-sonnet-4-5] }
`;
const own = new Map<string, AccountRouteSettings>([
  ['gpt-*', { targets: [{ model: 'anthropic/claude-sonnet-4-5', weight: 1 }], timeouts: {}, larger: null }],
  ['claude-haiku-4-5', { targets: [{ model: 'openai/gpt-4.1-nano', weight: 1 }], timeouts: {}, larger: null }],
]);
let router: ModelRouter;

beforeEach(() => {
  const accounts = { of: () => undefined, routesOf: (id: string) => (id === 'owner' ? own : undefined) };
  router = new ModelRouter(new Catalogue(), accounts);
  const settings = { apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
  const connections = ['openai', 'anthropic'].map((id) => openConnection(id, { id, ...settings }));
  router.use({ connections, ...readRoutes(parseConfig('sluice.yaml', config, {}), defaultTimeouts) });
});

const modelsOf = (name: string, account = 'account'): string[] | undefined =>
  router.resolve(name, { accountId: account })?.listed.map(({ model }) => model);

describe('a pattern', () => {
  it.each([
    ['claude-opus-4-9', ['openai/gpt-4.1']],
    ['claude-haiku-4-5', ['openai/gpt-4.1-mini']],
    ['claude-exact', ['openai/gpt-4.1-nano']],
    ['gemini-3-flash-preview', ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5']],
    ['gemini-', ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5']],
    ['anthropic/claude-sonnet-4-5', ['anthropic/claude-sonnet-4-5']],
    ['Claude-opus', undefined],
    ['gemini', undefined],
  ])('leads from %s to %j', (name, models) => {
    expect(modelsOf(name)).toEqual(models);
  });

  it('of an account has precedence over models, and an exact route over it', () => {
    expect(modelsOf('gpt-4.1', 'owner')).toEqual(['anthropic/claude-sonnet-4-5']);
    expect(modelsOf('gpt-9', 'owner')).toEqual(['anthropic/claude-sonnet-4-5']);
    expect(modelsOf('claude-haiku-4-5', 'owner')).toEqual(['openai/gpt-4.1-nano']);
    expect(modelsOf('gpt-4.1')).toEqual(['openai/gpt-4.1']);
  });

  it('is no model of the list', () => {
    const ids = router.list('owner').map(({ id }) => id);
    expect(ids).toContain('cheap');
    expect(ids.filter((id) => id.includes('*'))).toEqual([]);
  });

  it('is allowed to a key by its own name, or by the models that it leads to', () => {
    const route = router.resolve('claude-opus-4-9', { accountId: 'account' });
    if (route === undefined) return expect.fail('no route');
    const isAllowed = (allowedModels: string[]): boolean =>
      route.listed.some((target) => allowedTargets({ key: { ...key, allowedModels } }, route)?.(target) !== false);
    expect(isAllowed(['claude-*'])).toBe(true);
    expect(isAllowed(['openai/gpt-4.1'])).toBe(true);
    expect(isAllowed(['claude-opus-4-9'])).toBe(false);
    expect(isAllowed(['gemini-*'])).toBe(false);
  });

  it.each(['*', '*-x', 'a*b', 'a**'])('%s is refused in the configuration', (name) => {
    expect(() => parseConfig('sluice.yaml', `aliases: { "${name}": openai/gpt-4.1 }`, {})).toThrow('one `*`');
  });
});

describe('an alias of a key', () => {
  const modelsOfKey = (name: string, aliases: Record<string, string>, accountId = 'account'): string[] | undefined =>
    router
      .resolve(name, { accountId, modelAliases: new Map(Object.entries(aliases)) })
      ?.listed.map(({ model }) => model);

  it.each([
    ['claude-exact', { 'claude-exact': 'anthropic/claude-sonnet-4-5' }, ['anthropic/claude-sonnet-4-5']],
    ['claude-exact', { 'claude-*': 'anthropic/claude-sonnet-4-5' }, ['openai/gpt-4.1-nano']],
    ['claude-opus-4-9', { 'claude-*': 'anthropic/claude-sonnet-4-5' }, ['anthropic/claude-sonnet-4-5']],
    ['claude-opus-4-9', { 'claude-*': 'cheap', 'claude-opus-*': 'openai/gpt-4.1-nano' }, ['openai/gpt-4.1-nano']],
    ['claude-opus-4-9', { 'claude-*': 'cheap' }, ['openai/gpt-4.1-mini']],
    ['openai/gpt-4.1', { 'openai/*': 'cheap' }, ['openai/gpt-4.1-mini']],
    ['gpt-4.1', { mine: 'cheap' }, ['openai/gpt-4.1']],
    ['mine', { mine: 'unheard-of' }, undefined],
  ])('leads from %s with %j to %j', (name, aliases, models) => {
    expect(modelsOfKey(name, aliases)).toEqual(models);
  });

  it('leads to a route of the account, and not to another alias of the key', () => {
    expect(modelsOfKey('mine', { mine: 'claude-haiku-4-5' }, 'owner')).toEqual(['openai/gpt-4.1-nano']);
    expect(modelsOfKey('mine', { mine: 'other', other: 'cheap' })).toBeUndefined();
  });
});
