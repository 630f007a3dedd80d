import type { ResolvedRoute, ResolvedTarget } from './resolved-route.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { AccountRouteSettings, RoutingTable } from './route-settings.ts';
/** Targets that are not served are left out; undefined where none remains. */
export function routePlan(
  name: string,
  settings: AccountRouteSettings & { readonly routeName: string },
  defaults: RoutingTable['defaults'],
  set: ConnectionSet,
): ResolvedRoute | undefined {
  const targets = settings.targets.flatMap(({ model, weight }) => {
    const route = set.route(model);
    return route ? [{ route, weight }] : [];
  });
  return toPlan(name, targets, {
    ...defaults,
    ...settings,
    timeouts: { ...defaults.timeouts, ...settings.timeouts },
    ownConnectTimeout: settings.timeouts.connect !== undefined,
    larger: settings.larger === null ? null : (set.route(settings.larger) ?? null),
  });
}

type PlanRules = Omit<ResolvedRoute, 'name' | 'targets' | 'listed' | 'hasUnpriced'>;

export function toPlan(name: string, targets: readonly ResolvedTarget[], rules: PlanRules): ResolvedRoute | undefined {
  if (targets.length === 0) return undefined;
  const { order, sticky, parameters, retries, timeouts, ownConnectTimeout, larger, cacheMs, moderation, routeName } =
    rules;
  return {
    name,
    routeName,
    targets,
    listed: targets.map(({ route }) => route),
    order,
    sticky,
    parameters,
    retries,
    timeouts,
    ownConnectTimeout,
    larger,
    hasUnpriced: larger?.isUnpriced === true || targets.some(({ route }) => route.isUnpriced),
    cacheMs,
    moderation,
  };
}
