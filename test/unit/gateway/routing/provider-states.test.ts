import { expect, it } from 'vitest';
import type { RouteSettings } from '../../../../src/gateway/routing/route-settings.ts';
import { serverRoutesOf } from '../../../../src/gateway/routing/provider-states.ts';

const route: RouteSettings = {
  targets: [{ model: 'openai/gpt-4.1-mini', weight: 1 }],
  order: 'listed',
  sticky: false,
  affinity: true,
  parameters: 'drop',
  retries: 1,
  batches: 'sluice',
  cacheMs: null,
  moderation: null,
  timeouts: {},
  larger: null,
};

it('lists routes and aliases by name, and a route before the alias that it hides', () => {
  const routes = new Map([
    ['quick', route],
    ['both', route],
  ]);
  const aliases = new Map([
    ['small', 'openai/gpt-4.1-mini'],
    ['both', 'openai/gpt-4.1'],
  ]);
  const listed = serverRoutesOf(routes, aliases).map(({ name, aliasOf }) => [name, aliasOf]);
  expect(listed).toEqual([
    ['both', null],
    ['both', 'openai/gpt-4.1'],
    ['quick', null],
    ['small', 'openai/gpt-4.1-mini'],
  ]);
});
