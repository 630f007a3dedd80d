import { beforeEach, describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { parseConfig } from '../../../../src/config/config-file.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { TargetSelection } from '../../../../src/gateway/routing/selection/target-selection.ts';
import { ModelRouter } from '../../../../src/gateway/routing/model-router.ts';
import type { ResolvedRoute } from '../../../../src/gateway/routing/resolved-route.ts';
import { orderTargets, type RequestProperties } from '../../../../src/gateway/routing/selection/target-order.ts';
import { defaultTimeouts } from '../../../../src/gateway/routing/timeouts.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { readRoutes } from '../../../../src/composition/gateway/read-routes.ts';

const properties: RequestProperties = { stickyTo: 'someone', inputTokens: 1_000, outputTokens: 500 };
let router: ModelRouter;

function routeOf(rules: string): ResolvedRoute {
  const targets =
    '[{ model: openai/gpt-4.1, weight: 3 }, { model: openai/gpt-4.1-mini, weight: 1 }, openai/gpt-4.1-nano]';
  const file = parseConfig('sluice.yaml', `routes: { r: { targets: ${targets}, ${rules} } }`, {});
  const settings = { id: 'openai', apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
  router = new ModelRouter(new Catalogue());
  router.use({ connections: [openConnection('openai', settings)], ...readRoutes(file, defaultTimeouts) });
  const route = router.resolve('r', { accountId: 'account' });
  if (route === undefined) throw new Error('no route');
  return route;
}

const names = (route: ResolvedRoute, overrides: Partial<RequestProperties> = {}, random?: () => number): string[] =>
  orderTargets(route, { ...properties, ...overrides }, { random }).map(({ upstreamModel }) => upstreamModel);

beforeEach(() => {
  router = new ModelRouter(new Catalogue());
});

describe('the order of a route’s targets', () => {
  it('is the configured one', () => {
    expect(names(routeOf('order: listed'))).toEqual(['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano']);
  });

  it('is by estimated cost', () => {
    expect(names(routeOf('order: price'))).toEqual(['gpt-4.1-nano', 'gpt-4.1-mini', 'gpt-4.1']);
  });

  it('starts with each in proportion to its weight', () => {
    const route = routeOf('order: weighted');
    const first = new Map<string, number>();
    for (let round = 0; round < 20_000; round++) {
      const [name = ''] = names(route);
      first.set(name, (first.get(name) ?? 0) + 1);
    }
    expect((first.get('gpt-4.1') ?? 0) / 20_000).toBeCloseTo(0.6, 1);
    expect((first.get('gpt-4.1-mini') ?? 0) / 20_000).toBeCloseTo(0.2, 1);
  });

  it('is by measured time to the first token, unmeasured ones first', () => {
    const route = routeOf('order: latency');
    route.listed[0]?.health.recordFirstToken(300);
    route.listed[1]?.health.recordFirstToken(100);
    expect(names(route)).toEqual(['gpt-4.1-nano', 'gpt-4.1-mini', 'gpt-4.1']);
    route.listed[2]?.health.recordFirstToken(200);
    expect(names(route)).toEqual(['gpt-4.1-mini', 'gpt-4.1-nano', 'gpt-4.1']);
  });

  it('is by measured tokens per second', () => {
    const route = routeOf('order: throughput');
    route.listed[0]?.health.recordThroughput(40);
    route.listed[1]?.health.recordThroughput(20);
    route.listed[2]?.health.recordThroughput(80);
    expect(names(route)).toEqual(['gpt-4.1-nano', 'gpt-4.1', 'gpt-4.1-mini']);
  });

  it.each(['latency', 'throughput'])('is by %s, those being measured last and unmeasured ones first', (order) => {
    const route = routeOf(`order: ${order}`);
    route.listed[0]?.health.onAttemptStarted();
    route.listed[1]?.health.recordFirstToken(100);
    route.listed[1]?.health.recordThroughput(40);
    expect(names(route)).toEqual(['gpt-4.1-nano', 'gpt-4.1-mini', 'gpt-4.1']);
  });

  it('keeps an end user at one target, and spreads users over all', () => {
    const route = routeOf('sticky: user');
    const users = Array.from({ length: 600 }, (_, index) => `user-${index}`);
    const first = users.map((user) => names(route, { stickyTo: user })[0]);
    expect(users.map((user) => names(route, { stickyTo: user })[0])).toEqual(first);
    expect(first.filter((name) => name === 'gpt-4.1').length / 600).toBeCloseTo(0.6, 1);
    expect(new Set(first).size).toBe(3);
  });

  it('ends with those that cool down, the soonest first', () => {
    const route = routeOf('order: listed');
    route.listed[0]?.health.recordFailure('limited', 30_000);
    route.listed[1]?.health.recordFailure('limited', 10_000);
    expect(names(route)).toEqual(['gpt-4.1-nano', 'gpt-4.1-mini', 'gpt-4.1']);
  });
});

describe('the selection of targets', () => {
  it('allows other trials when a request could not be encoded for the target', () => {
    const route = routeOf('order: listed');
    const [, second] = route.listed;
    if (second === undefined) throw new Error('no second target');
    const down = new SluiceError('provider_unreachable', { values: { provider: 'openai' } });
    const unsayable = new SluiceError('unsupported_value', { param: 'n', values: { reason: 'is not taken.' } });
    for (let request = 0; request < 4; request++) {
      const selection = new TargetSelection(route, properties, null);
      const [first] = route.listed;
      if (first === undefined) throw new Error('no first target');
      expect(selection.next(first, 'unavailable', down, () => undefined)).toMatchObject({ target: second });
      selection.recordLocalRefusal(second, unsayable);
    }
  });
});

describe('configured names', () => {
  it('have the provider’s data for an unlisted model', () => {
    const file = parseConfig('sluice.yaml', 'aliases: { a: openai/unlisted-1 }', {});
    const settings = { id: 'openai', apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    router.use({ connections: [openConnection('openai', settings)], ...readRoutes(file, defaultTimeouts) });
    expect(router.find('a')).toMatchObject({ id: 'a', provider: 'openai' });
  });

  it('are reported where they have no available target', () => {
    const file = parseConfig(
      'sluice.yaml',
      'aliases: { a: openai/gpt-4.1, b: nowhere/x }\nroutes: { r: { targets: [openai/gpt-4.1, elsewhere/y], larger: far/z } }',
      {},
    );
    const settings = { id: 'openai', apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    router.use({ connections: [openConnection('openai', settings)], ...readRoutes(file, defaultTimeouts) });
    expect(router.unserved()).toEqual(['route r: elsewhere/y', 'route r: far/z', 'alias b: nowhere/x']);
    expect(router.resolve('r', { accountId: 'account' })?.listed).toHaveLength(1);
    expect(router.resolve('b', { accountId: 'account' })).toBeUndefined();
    expect(router.resolve('a', { accountId: 'account' })?.listed[0]?.model).toBe('openai/gpt-4.1');
  });
});

describe('the decision', () => {
  const decide = (route: ResolvedRoute, allowed: ((model: string) => boolean) | null = null) => {
    const selection = new TargetSelection(
      route,
      properties,
      allowed && (({ upstreamModel }) => allowed(upstreamModel)),
    );
    return { selection, decision: () => JSON.parse(selection.decision?.json ?? 'null') };
  };

  it('names the order, and nothing for a single target', () => {
    expect(decide(routeOf('order: price')).decision()).toEqual({ ordered_by: 'price' });
    expect(decide(routeOf('sticky: user')).decision()).toEqual({ ordered_by: 'sticky' });
    const single = router.resolve('openai/gpt-4.1', { accountId: 'account' });
    if (single === undefined) return expect.fail('no route');
    expect(decide(single).decision()).toBeNull();
  });

  it('names targets that the key may not use, and those that failed recently', () => {
    const route = routeOf('order: listed');
    route.listed[0]?.health.recordFailure('limited', 60_000);
    const { selection, decision } = decide(route, (model) => model !== 'gpt-4.1-nano');
    const provider = 'openai';
    expect(decision()).toEqual({
      ordered_by: 'listed',
      skipped: [
        { provider, model: 'openai/gpt-4.1-nano', reason: 'not_allowed' },
        { provider, model: 'openai/gpt-4.1', reason: 'cooling_down' },
      ],
    });
    // Tried after all.
    for (const target of route.listed) if (target.upstreamModel === 'gpt-4.1') selection.onAttemptStarted(target);
    expect(decision().skipped).toEqual([{ provider, model: 'openai/gpt-4.1-nano', reason: 'not_allowed' }]);
  });
});
