import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import type { AccountRouteSettings } from '../../../../src/gateway/routing/route-settings.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import type { Connection } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';

const opened: Connection[] = [];

function connection(id: string, provider = id): Connection {
  const made = openConnection(provider, {
    id,
    apiKey: 'key',
    baseUrl: 'http://127.0.0.1:9',
    connectTimeoutMs: 60_000,
    options: {},
  });
  opened.push(made);
  return made;
}

const [operators, shared, mine] = [connection('openai'), connection('mistral'), connection('openai:own', 'openai')];

afterAll(() => Promise.all(opened.map((each) => each.close())));

function to(...models: string[]): AccountRouteSettings {
  return { targets: models.map((model) => ({ model, weight: 1 })), timeouts: {}, larger: null };
}

describe('a route of an account', () => {
  const connections = new Map<string, readonly Connection[]>();
  const routes = new Map<string, ReadonlyMap<string, AccountRouteSettings>>();
  const router = new ModelRouter(new Catalogue(), {
    of: (accountId) => connections.get(accountId),
    routesOf: (accountId) => routes.get(accountId),
  });

  function configure(yaml: string): void {
    const table = readRoutes(parseConfig('sluice.yaml', yaml, {}), defaultTimeouts);
    router.use({ connections: [operators, shared], ...table });
  }

  const listed = (name: string, accountId: string) =>
    router.resolve(name, { accountId })?.listed.map(({ connection: { id }, model }) => `${id}: ${model}`);

  beforeEach(() => {
    connections.clear();
    routes.clear();
    configure(`
aliases: { quick: openai/gpt-4.1-nano }
routes:
  smart: { targets: [openai/gpt-4.1] }
routing: { retries: 7, parameters: strict, cache: 60 }
timeouts: { headers: 9 }
`);
  });

  it('whose pattern leads to no target is named by the hint for a name that it serves', () => {
    routes.set('one', new Map([['gpt-*', to('nobody/x')]]));
    expect(listed('gpt-4.1', 'one')).toBeUndefined();
    expect(router.explainModelNotFound('gpt-4.1', 'one')).toBe(
      'Its targets are not available here: nobody/x. Connect nobody.',
    );
    expect(listed('gpt-4.1', 'two')).toEqual(['openai: openai/gpt-4.1']);
  });

  it('takes precedence over the operator’s route, alias and model, for this account only', () => {
    for (const name of ['smart', 'quick', 'openai/gpt-4.1-mini', 'new']) {
      routes.set('a', new Map([[name, to('mistral/mistral-large-latest')]]));
      const others = listed(name, 'b');
      expect([name, listed(name, 'a')]).toEqual([name, ['mistral: mistral/mistral-large-latest']]);
      expect([name, listed(name, 'b')]).toEqual([name, others]);
      expect(others).not.toEqual(listed(name, 'a'));
      routes.delete('a');
      expect([name, listed(name, 'a')]).toEqual([name, others]);
    }
  });

  it('does not affect other names', () => {
    routes.set('a', new Map([['new', to('openai/gpt-4.1')]]));
    for (const name of ['smart', 'quick', 'openai/gpt-4.1'])
      expect(router.resolve(name, { accountId: 'a' })).toBe(router.resolve(name, { accountId: 'b' }));
    expect(router.resolve('unheard-of', { accountId: 'a' })).toBeUndefined();
  });

  it('refers to models, not to itself', () => {
    routes.set('a', new Map([['openai/gpt-4.1', to('openai/gpt-4.1', 'openai/gpt-4.1-mini')]]));
    expect(listed('openai/gpt-4.1', 'a')).toEqual(['openai: openai/gpt-4.1', 'openai: openai/gpt-4.1-mini']);
  });

  it('uses the account’s own connections before the operator’s, in any order of creation', () => {
    routes.set('a', new Map([['new', to('openai/gpt-4.1', 'mistral/mistral-large-latest')]]));
    const mistral = 'mistral: mistral/mistral-large-latest';
    expect(listed('new', 'a')).toEqual(['openai: openai/gpt-4.1', mistral]);
    connections.set('a', [mine]);
    expect(listed('new', 'a')).toEqual(['openai:own: openai/gpt-4.1', mistral]);
    connections.delete('a');
    expect(listed('new', 'a')).toEqual(['openai: openai/gpt-4.1', mistral]);
  });

  it('skips unavailable targets, and is not found where none remains', () => {
    routes.set(
      'a',
      new Map([
        ['some', to('nobody/x', 'openai/gpt-4.1')],
        ['smart', to('nobody/x')],
      ]),
    );
    expect(listed('some', 'a')).toEqual(['openai: openai/gpt-4.1']);
    // What the operator calls so is not what the account means.
    expect(router.resolve('smart', { accountId: 'a' })).toBeUndefined();
    expect(listed('smart', 'b')).toEqual(['openai: openai/gpt-4.1']);
  });

  it('inherits the operator’s rules, and follows their changes', () => {
    const full: AccountRouteSettings = {
      ...to('openai/gpt-4.1'),
      order: 'price',
      sticky: true,
      parameters: 'drop',
      retries: 0,
      timeouts: { connect: 5, headers: 10 },
      larger: 'openai/gpt-4.1-mini',
      cacheMs: 3,
    };
    routes.set(
      'a',
      new Map([
        ['bare', to('openai/gpt-4.1')],
        ['full', full],
      ]),
    );
    expect(router.resolve('bare', { accountId: 'a' })).toMatchObject({
      name: 'bare',
      order: 'listed',
      sticky: false,
      parameters: 'strict',
      retries: 7,
      timeouts: { ...defaultTimeouts },
      ownConnectTimeout: false,
      larger: null,
      cacheMs: 60_000,
    });
    expect(router.resolve('full', { accountId: 'a' })).toMatchObject({
      order: 'price',
      sticky: true,
      parameters: 'drop',
      retries: 0,
      timeouts: { ...defaultTimeouts, connect: 5, headers: 10 },
      ownConnectTimeout: true,
      larger: { model: 'openai/gpt-4.1-mini' },
      cacheMs: 3,
    });
    configure('routing: { retries: 1 }');
    expect(router.resolve('bare', { accountId: 'a' })).toMatchObject({ retries: 1, parameters: 'drop', cacheMs: null });
    expect(router.resolve('full', { accountId: 'a' })?.retries).toBe(0);
  });

  it('stays resolved, with its retry budget, until it or its connections change', () => {
    const route = to('openai/gpt-4.1');
    routes.set('a', new Map([['new', route]]));
    const resolved = router.resolve('new', { accountId: 'a' });
    expect(resolved).toBeDefined();
    expect(router.resolve('new', { accountId: 'a' })).toBe(resolved);
    // Another route of the account's has changed.
    routes.set(
      'a',
      new Map([
        ['new', route],
        ['newer', to('openai/gpt-4.1')],
      ]),
    );
    expect(router.resolve('new', { accountId: 'a' })).toBe(resolved);
    routes.set('a', new Map([['new', to('openai/gpt-4.1-mini')]]));
    expect(listed('new', 'a')).toEqual(['openai: openai/gpt-4.1-mini']);
    expect(router.resolve('new', { accountId: 'a' })).not.toBe(resolved);
  });

  it('is previewed like any other', () => {
    routes.set('a', new Map([['new', { ...to('openai/gpt-4.1', 'mistral/mistral-large-latest'), order: 'price' }]]));
    const facts = { stickyTo: '', inputTokens: 1_000, outputTokens: 500 };
    expect(router.preview('new', 'a', facts)).toMatchObject({ name: 'new', order: 'price' });
    expect(router.preview('new', 'a', facts)?.steps).toHaveLength(2);
    expect(router.preview('new', 'b', facts)).toBeUndefined();
  });
});
