import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import type { Connection } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';
import { json, refusal, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const models = (...ids: string[]) => json(200, { object: 'list', data: ids.map((id) => ({ id })) });

describe('the models of an account’s own connections', () => {
  let operators: FakeProvider;
  let own: FakeProvider;
  let connections: Map<string, readonly Connection[]>;
  let clock: FakeClock;
  let router: ModelRouter;
  let opened: Connection[];

  function open(id: string, provider: string, baseUrl: string): Connection {
    const made = openConnection(provider, { id, apiKey: 'key', baseUrl, connectTimeoutMs: 60_000, options: {} });
    opened.push(made);
    return made;
  }

  function configure(yaml = ''): void {
    const table = readRoutes(parseConfig('sluice.yaml', yaml, {}), defaultTimeouts);
    router.use({ connections: [open('openai', 'openai', operators.url)], ...table });
  }

  const idsFor = (accountId?: string) => router.list(accountId).map(({ id }) => id);

  beforeEach(async () => {
    [operators, own] = await Promise.all([startFakeProvider(), startFakeProvider()]);
    operators.answerWith(models('gpt-4.1', 'gpt-4.1-mini'));
    opened = [];
    connections = new Map();
    clock = new FakeClock();
    const accounts = { of: (id: string) => connections.get(id), routesOf: () => undefined };
    router = new ModelRouter(new Catalogue(), accounts, clock);
    configure();
    await router.discover(() => undefined);
  });

  afterEach(async () => {
    await Promise.all([operators.close(), own.close()]);
    await Promise.all(opened.map((each) => each.close()));
  });

  it('are listed once they are known, for this account only', async () => {
    own.answerWith(models('llama', 'qwen'));
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    await router.ready('a');
    expect(idsFor('a')).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini', 'mine/llama', 'mine/qwen']);
    expect(router.find('mine/llama', 'a')).toMatchObject({ id: 'mine/llama', provider: 'mine' });
    expect(router.resolve('qwen', { accountId: 'a' })?.listed).toMatchObject([{ model: 'mine/qwen' }]);
    for (const other of ['b', undefined]) {
      expect(idsFor(other)).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini']);
      expect(router.find('mine/llama', other)).toBeUndefined();
    }
  });

  it('are queried once for all waiting requests, and then not again for a while', async () => {
    own.answerWith(models('llama'));
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    await Promise.all([router.ready('a'), router.ready('a'), router.ready('a')]);
    expect(router.ready('a')).toBeUndefined();
    expect(own.requests).toHaveLength(1);
    expect(router.ready('b')).toBeUndefined();
  });

  it('are those of the account’s own key, where the operator has a connection to the same provider', async () => {
    own.answerWith(models('ft:mine'));
    connections.set('a', [open('openai:1', 'openai', own.url)]);
    await router.ready('a');
    expect(idsFor('a')).toEqual(['openai/ft:mine']);
    expect(idsFor()).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini']);
  });

  it('remain those of the operator’s connection, where the own one returns none', async () => {
    own.answerWith(refusal(500, 'Broken'));
    connections.set('a', [open('openai:1', 'openai', own.url)]);
    await router.ready('a');
    expect(idsFor('a')).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini']);
    expect(router.ready('a')).toBeUndefined();
  });

  it('exclude those of a previous address, also after a late response', async () => {
    own.answerWith(models('llama'));
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    await router.ready('a');
    own.answerWith(refusal(500, 'Broken'));
    router.forgetListed('mine:1');
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    await router.ready('a');
    expect(idsFor('a')).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini']);
    const answer = Promise.withResolvers<void>();
    own.answerWith((request, response) => void answer.promise.then(() => models('late')(request, response)));
    connections.set('a', [open('mine:2', 'mine', own.url)]);
    const waiting = router.ready('a');
    router.forgetListed('mine:2');
    answer.resolve();
    await waiting;
    expect(idsFor('a')).toEqual(['openai/gpt-4.1', 'openai/gpt-4.1-mini']);
  });

  it('are updated by a test of the connection', async () => {
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    expect(idsFor('a')).not.toContain('mine/llama');
    router.listed('mine:1', ['llama']);
    expect(idsFor('a')).toContain('mine/llama');
    router.listed('mine:1', ['other']);
    expect(idsFor('a')).not.toContain('mine/llama');
    expect(idsFor('a')).toContain('mine/other');
  });

  it('are bounded, whatever a server returns', async () => {
    router.listed('mine:1', ['x'.repeat(1_000), ...Array.from({ length: 20_000 }, (_, at) => `m${at}`)]);
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    expect(idsFor('a').length).toBeLessThanOrEqual(5_002);
    expect(idsFor('a')).toContain('mine/m0');
  });

  it('do not delay requests for long when a server does not respond', async () => {
    own.answerWith(() => undefined);
    connections.set('a', [open('mine:1', 'mine', own.url)]);
    let isReady = false;
    const ready = Promise.resolve(router.ready('a')).then(() => (isReady = true));
    await clock.advanceAsync(2_999);
    expect(isReady).toBe(false);
    await clock.advanceAsync(1);
    await ready;
  });
});

describe('a route in the list of models', () => {
  const opened: Connection[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

  function routerWith(yaml: string): ModelRouter {
    const made = openConnection('openai', {
      id: 'openai',
      apiKey: 'key',
      baseUrl: 'http://127.0.0.1:9/v1',
      connectTimeoutMs: 60_000,
      options: {},
    });
    opened.push(made);
    const router = new ModelRouter(new Catalogue());
    router.use({ connections: [made], ...readRoutes(parseConfig('f', yaml, {}), defaultTimeouts) });
    return router;
  }

  it('has the data of its first listed target', () => {
    const router = routerWith('routes: { smart: { targets: [openai/of-tomorrow, openai/gpt-4.1-mini] } }');
    expect(router.find('smart')).toMatchObject({
      id: 'smart',
      contextWindow: router.find('openai/gpt-4.1-mini')?.contextWindow,
    });
    expect(router.find('smart')?.contextWindow).toBeGreaterThan(0);
    expect(router.list().map(({ id }) => id)).toContain('smart');
  });

  it('has unknown values where no target is listed', () => {
    const router = routerWith(
      'routes: { new: { targets: [openai/of-tomorrow] } }\naliases: { next: openai/of-tomorrow }',
    );
    for (const name of ['new', 'next'])
      expect(router.find(name)).toMatchObject({ id: name, contextWindow: null, maxOutputTokens: null, pricing: null });
    expect(router.list().map(({ id }) => id)).toEqual(expect.arrayContaining(['new', 'next']));
  });
});
