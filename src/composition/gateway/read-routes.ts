import type { SluiceConfig } from '../../config/config-schema.ts';
import { toModerationSettings } from '../../gateway/keys/moderation-settings.ts';
import type { RouteSettings, RoutingTable } from '../../gateway/routing/route-settings.ts';
import type { Timeouts } from '../../gateway/routing/timeouts.ts';

const MS = 1_000;

/** Defaults of routing rules. */
const defaultRules = {
  order: 'listed',
  sticky: false,
  affinity: true,
  parameters: 'drop',
  retries: 2,
  batches: 'sluice',
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
export function readTimeouts(configured: SluiceConfig['timeouts']): Partial<Timeouts> {
  return {
    ...(configured.connect !== undefined && { connect: configured.connect * MS }),
    ...(configured.answer !== undefined && { answer: configured.answer * MS }),
    ...(configured.headers !== undefined && { headers: configured.headers * MS }),
    ...(configured.first_token !== undefined && { firstToken: configured.first_token * MS }),
    ...(configured.between_chunks !== undefined && { betweenChunks: configured.between_chunks * MS }),
    ...(configured.caller !== undefined && { client: configured.caller * MS }),
  };
}

function withRules(configured: Rules, otherwise: Omit<RouteSettings, 'targets' | 'timeouts' | 'larger'>) {
  return {
    order: configured.order ?? otherwise.order,
    sticky: configured.sticky === undefined ? otherwise.sticky : configured.sticky === 'user',
    affinity: configured.affinity === undefined ? otherwise.affinity : configured.affinity === 'conversation',
    parameters: configured.parameters ?? otherwise.parameters,
    retries: configured.retries ?? otherwise.retries,
    batches: configured.batches ?? otherwise.batches,
    cacheMs: configured.cache === undefined ? otherwise.cacheMs : configured.cache * MS,
    moderation: configured.moderation === undefined ? otherwise.moderation : readModeration(configured.moderation),
  };
}

function readModeration(configured: NonNullable<Rules['moderation']>): RouteSettings['moderation'] {
  return configured === 'none' ? null : [toModerationSettings(configured, true)];
}
