import { distinctSettings } from '../keys/moderation-settings.ts';
import { buildRoute } from './build-route.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { AccountRouteSettings, RoutingTable } from './route-settings.ts';

/**
 * The account's own route for a name. A route named like a model applies to all spellings of the model, unless the
 * operator has a route or alias of that name.
 */
export function accountRoute(
  routes: ReadonlyMap<string, AccountRouteSettings>,
  name: string,
  table: RoutingTable | null,
  set: ConnectionSet,
): AccountRouteSettings | undefined {
  const named = routes.get(name);
  if (named !== undefined || table?.routes.has(name) || table?.aliases.has(name)) return named;
  const target = set.target(name);
  return target && routes.get(target.model);
}

/** Resolves accounts' own routes, each once for a set of connections. */
export class AccountRoutes {
  readonly #resolved = new WeakMap<
    AccountRouteSettings,
    { readonly set: ConnectionSet; readonly route: ResolvedRoute }
  >();

  resolve(
    name: string,
    own: AccountRouteSettings,
    table: RoutingTable | null,
    set: ConnectionSet,
  ): ResolvedRoute | undefined {
    const known = this.#resolved.get(own);
    if (known?.set === set) return known.route;
    if (table === null) return undefined;
    const { defaults } = table;
    // An account's route cannot remove the operator's moderation.
    const moderation = distinctSettings(defaults.moderation, own.moderation);
    const route = buildRoute(name, { ...own, moderation, routeName: name }, defaults, set);
    if (route) this.#resolved.set(own, { set, route });
    return route;
  }
}
