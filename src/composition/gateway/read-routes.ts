import type { SluiceConfig } from '../../config/config-schema.ts';
import { toModerationSettings } from '../../gateway/keys/moderation-settings.ts';
import type { RouteSettings, RoutingTable } from '../../gateway/routing/route-settings.ts';
import type { Timeouts } from '../../gateway/routing/timeouts.ts';

const MS = 1_000;

/** Defaults of routing rules. */
const defaultRules = {
  order: 'listed',
  sticky: false,
  parameters: 'drop',
  retries: 2,
  cacheMs: null,
  moderation: null,
} as const;

type Rules = SluiceConfig['routing'];

/** Converts the routing of `sluice.yaml`. */
export function readRoutes(file: SluiceConfig, timeouts: Timeouts): Omit<RoutingTable, 'connections'> {
  const defaults = withRules(file.routing, defaultRules);
  const routes = Object.entries(file.routes).map(([name, route]): [string, RouteSettings] => [
    name,
    {
      ...withRules(route, defaults),
      targets: route.targets.map((target) => (typeof target === 'string' ? { model: target, weight: 1 } : target)),
      timeouts: readTimeouts(route.timeouts),
      larger: route.larger ?? null,
    },
  ]);
  return {
    aliases: new Map(Object.entries(file.aliases)),
    routes: new Map(routes),
    defaults: { ...defaults, timeouts },
  };
}

/** Converts seconds to milliseconds. Absent values stay absent. */
export function readTimeouts(given: SluiceConfig['timeouts']): Partial<Timeouts> {
  return {
    ...(given.connect !== undefined && { connect: given.connect * MS }),
    ...(given.answer !== undefined && { answer: given.answer * MS }),
    ...(given.headers !== undefined && { headers: given.headers * MS }),
    ...(given.first_token !== undefined && { firstToken: given.first_token * MS }),
    ...(given.between_chunks !== undefined && { betweenChunks: given.between_chunks * MS }),
    ...(given.caller !== undefined && { client: given.caller * MS }),
  };
}

function withRules(given: Rules, otherwise: Omit<RouteSettings, 'targets' | 'timeouts' | 'larger'>) {
  return {
    order: given.order ?? otherwise.order,
    sticky: given.sticky === undefined ? otherwise.sticky : given.sticky === 'user',
    parameters: given.parameters ?? otherwise.parameters,
    retries: given.retries ?? otherwise.retries,
    cacheMs: given.cache === undefined ? otherwise.cacheMs : given.cache * MS,
    moderation: given.moderation === undefined ? otherwise.moderation : readModeration(given.moderation),
  };
}

function readModeration(given: NonNullable<Rules['moderation']>): RouteSettings['moderation'] {
  return given === 'none' ? null : [toModerationSettings(given, true)];
}
