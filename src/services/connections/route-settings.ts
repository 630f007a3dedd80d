import type { AccountRoute, AccountRouteRules } from '../../database/entities/index.ts';
import type { AccountRouteSettings } from '../../gateway/routing/route-settings.ts';
import { accountModeration } from '../moderation-rules.ts';

const MS = 1_000;

export type AccountRoutes = ReadonlyMap<string, AccountRouteSettings>;

/**
 * An account's routes for the router, by name; undefined if there are none.
 * @param before the last result, which is returned if nothing changed
 */
export function readAccountRoutes(rows: readonly AccountRoute[], before?: AccountRoutes): AccountRoutes | undefined {
  if (rows.length === 0) return undefined;
  const routes = new Map(rows.map(({ name, settings }) => [name, unlessSame(toSettings(settings), before?.get(name))]));
  const same = routes.size === before?.size && [...routes].every(([name, route]) => before.get(name) === route);
  return same ? before : routes;
}

function toSettings(rules: AccountRouteRules): AccountRouteSettings {
  const { targets, order, sticky, parameters, retries, batches, timeouts = {} } = rules;
  const { larger = null, cache, moderation } = rules;
  const times = Object.entries(timeouts).map(([stage, seconds]) => [stage, seconds * MS]);
  return {
    targets,
    larger,
    timeouts: Object.fromEntries(times),
    ...(order !== undefined && { order }),
    ...(sticky !== undefined && { sticky }),
    ...(parameters !== undefined && { parameters }),
    ...(retries !== undefined && { retries }),
    ...(batches !== undefined && { batches }),
    ...(cache !== undefined && { cacheMs: cache * MS }),
    ...(moderation !== undefined && { moderation: [accountModeration(moderation)] }),
  };
}

function unlessSame(route: AccountRouteSettings, before: AccountRouteSettings | undefined): AccountRouteSettings {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(route) ? before : route;
}
