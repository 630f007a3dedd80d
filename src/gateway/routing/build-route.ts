import type { Connection } from '../../providers/contract.ts';
import type { ResolvedRoute, TargetOrder, WeightedTarget } from './resolved-route.ts';
import { matchingPattern } from './name-patterns.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { AccountRouteSettings, RoutingTable } from './route-settings.ts';
import type { Target } from './target.ts';

/** The route of a name without a route of the account: the operator's routes, aliases and models. */
export function namedRoute(requested: string, table: RoutingTable, set: ConnectionSet): ResolvedRoute | undefined {
  const canonical = set.target(requested)?.model ?? requested;
  const exact =
    table.aliases.get(requested) ?? (table.routes.has(requested) ? requested : table.aliases.get(canonical));
  const pattern = exact === undefined && !table.routes.has(canonical) ? longestPattern(requested, table) : undefined;
  if (pattern !== undefined) return patternRoute(pattern, table, set);
  return exactRoute(requested, exact ?? requested, table, set);
}

/** A pattern is the name of the route that it leads to, so that keys are allowed it by that name. */
function patternRoute(pattern: string, table: RoutingTable, set: ConnectionSet): ResolvedRoute | undefined {
  return exactRoute(pattern, table.aliases.get(pattern) ?? pattern, table, set);
}

/** The pattern of an alias or a route that serves a name without one of its own. */
export function longestPattern(requested: string, { aliases, routes }: RoutingTable): string | undefined {
  const [alias = '', route = ''] = [matchingPattern(aliases, requested), matchingPattern(routes, requested)];
  return (alias.length >= route.length ? alias : route) || undefined;
}

/** @param name the model or route that `requested` stands for */
function exactRoute(
  requested: string,
  name: string,
  table: RoutingTable,
  set: ConnectionSet,
): ResolvedRoute | undefined {
  const settings = table.routes.get(name) ?? table.routes.get(set.target(name)?.model ?? name);
  const { defaults } = table;
  if (settings === undefined) return modelRoute(requested, set.target(name), defaults);
  return buildRoute(requested, { ...settings, routeName: name }, defaults, set);
}

/** The route of a connection's model that no route or alias replaces. */
export function directRoute(
  connection: Connection,
  upstreamModel: string,
  { defaults }: RoutingTable,
  set: ConnectionSet,
): ResolvedRoute | undefined {
  const target = set.targetAt(connection, upstreamModel);
  return target && modelRoute(target.model, target, defaults);
}

function modelRoute(
  name: string,
  target: Target | undefined,
  defaults: RoutingTable['defaults'],
): ResolvedRoute | undefined {
  const targets = target ? [{ target, weight: 1 }] : [];
  return resolvedRoute(name, targets, { ...defaults, routeName: '', ownConnectTimeout: false, larger: null });
}

/** Targets that are not served are left out; undefined where none remains. */
export function buildRoute(
  name: string,
  settings: AccountRouteSettings & { readonly routeName: string },
  defaults: RoutingTable['defaults'],
  set: ConnectionSet,
): ResolvedRoute | undefined {
  const targets = settings.targets.flatMap(({ model, weight }) => {
    const target = set.target(model);
    return target ? [{ target, weight }] : [];
  });
  return resolvedRoute(name, targets, {
    ...defaults,
    ...settings,
    timeouts: { ...defaults.timeouts, ...settings.timeouts },
    ownConnectTimeout: settings.timeouts.connect !== undefined,
    larger: settings.larger === null ? null : (set.target(settings.larger) ?? null),
  });
}

type ResolvedRouteRules = Omit<ResolvedRoute, 'name' | 'targets' | 'listed' | 'hasUnpriced' | 'keepsConversations'> & {
  readonly affinity: boolean;
};

/** Orders that would send the turns of a conversation to different targets. */
const spreading: ReadonlySet<TargetOrder> = new Set(['weighted', 'latency', 'throughput']);

function resolvedRoute(
  name: string,
  targets: readonly WeightedTarget[],
  rules: ResolvedRouteRules,
): ResolvedRoute | undefined {
  if (targets.length === 0) return undefined;
  const { order, sticky, parameters, retries, batches, timeouts, ownConnectTimeout, larger, cacheMs, moderation } =
    rules;
  return {
    name,
    routeName: rules.routeName,
    targets,
    listed: targets.map(({ target }) => target),
    order,
    sticky,
    keepsConversations: rules.affinity && targets.length > 1 && !sticky && spreading.has(order),
    parameters,
    retries,
    batches,
    timeouts,
    ownConnectTimeout,
    larger,
    hasUnpriced: larger?.isUnpriced === true || targets.some(({ target }) => target.isUnpriced),
    cacheMs,
    moderation,
  };
}
