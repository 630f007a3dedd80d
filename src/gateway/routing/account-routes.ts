import { distinctSettings } from '../keys/moderation-settings.ts';
import { buildRoute } from './build-route.ts';
import { isPattern, matchingPattern } from './name-patterns.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { AccountRouteSettings, RoutingTable } from './route-settings.ts';

export interface OwnRoute {
  /** The route's own name, which may be a pattern. */
  readonly name: string;
  readonly settings: AccountRouteSettings;
}

/**
 * The account's own route for a name. A route named like a model applies to all spellings of the model, and one whose name is a
 * pattern to all names that it matches, unless the operator has a route or alias of that name.
 */
export function accountRoute(
  routes: ReadonlyMap<string, AccountRouteSettings>,
  name: string,
  table: RoutingTable | null,
  set: ConnectionSet,
): OwnRoute | undefined {
  const named = ofName(routes, name);
  if (named !== undefined || table?.routes.has(name) || table?.aliases.has(name)) return named;
  const target = set.target(name);
  return (target && ofName(routes, target.model)) ?? ofName(routes, matchingPattern(routes, name) ?? '');
}

function ofName(routes: ReadonlyMap<string, AccountRouteSettings>, name: string): OwnRoute | undefined {
  const settings = routes.get(name);
  return settings && { name, settings };
}

/** Resolves accounts' own routes, each once for a set of connections. */
export class AccountRoutes {
  readonly #resolved = new WeakMap<
    AccountRouteSettings,
    { readonly set: ConnectionSet; readonly route: ResolvedRoute }
  >();

  resolve(
    requested: string,
    { name: ownName, settings: own }: OwnRoute,
    table: RoutingTable | null,
    set: ConnectionSet,
  ): ResolvedRoute | undefined {
    const known = this.#resolved.get(own);
    if (known?.set === set) return known.route;
    if (table === null) return undefined;
    const { defaults } = table;
    // A model's other spellings keep the name that was requested: keys are allowed it by that name.
    const name = isPattern(ownName) ? ownName : requested;
    // An account's route cannot remove the operator's moderation.
    const moderation = distinctSettings(defaults.moderation, own.moderation);
    const route = buildRoute(name, { ...own, moderation, routeName: name }, defaults, set);
    if (route) this.#resolved.set(own, { set, route });
    return route;
  }
}
