import type { ResolvedRoute, WeightedTarget } from './resolved-route.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { AccountRouteSettings, RoutingTable } from './route-settings.ts';
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

type ResolvedRouteRules = Omit<ResolvedRoute, 'name' | 'targets' | 'listed' | 'hasUnpriced'>;

export function resolvedRoute(
  name: string,
  targets: readonly WeightedTarget[],
  rules: ResolvedRouteRules,
): ResolvedRoute | undefined {
  if (targets.length === 0) return undefined;
  const { order, sticky, parameters, retries, timeouts, ownConnectTimeout, larger, cacheMs, moderation, routeName } =
    rules;
  return {
    name,
    routeName,
    targets,
    listed: targets.map(({ target }) => target),
    order,
    sticky,
    parameters,
    retries,
    timeouts,
    ownConnectTimeout,
    larger,
    hasUnpriced: larger?.isUnpriced === true || targets.some(({ target }) => target.isUnpriced),
    cacheMs,
    moderation,
  };
}
