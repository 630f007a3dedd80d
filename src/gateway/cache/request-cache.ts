import type { Call, RequestDependencies } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { RequestInput } from '../request-input.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import { cacheKey } from './cache-key.ts';
import { CacheUse } from './cache-use.ts';

/** The maximum age of a cached response for a request, in milliseconds; 0 where the cache is not used. */
export function cacheLifetime({ key, cacheMs }: Call, route: ResolvedRoute): number {
  return key.zeroRetention === true ? 0 : (cacheMs ?? key.cacheMs ?? route.cacheMs ?? 0);
}

/** The response cache for one request; null where its responses are not cached. */
export function requestCache<Request, Summary>(
  dependencies: RequestDependencies,
  capability: Capability<Request, Summary>,
  { key }: Call,
  { route, request, input }: { readonly route: ResolvedRoute; readonly request: Request; readonly input: RequestInput },
  lifetimeMs: number,
): CacheUse | null {
  const cacheable = capability.cacheable(request);
  if (cacheable === null) return null;
  // A cached response of a model that the key may not use is not served to it.
  const access = `${accessOf(key.allowedModels)}${key.plan.models === null ? '' : accessOf(key.plan.models)}`;
  // A route with other targets under the same name gets other entries.
  const targets = [
    route.name,
    route.parameters,
    ...route.listed.map(({ connection, model }) => `${connection.id} ${model}`),
  ].join('\n');
  const name = cacheKey(
    `${key.accountId}\n${access}`,
    capability.name,
    targets,
    cacheable,
    Buffer.isBuffer(input) ? input : null,
  );
  return new CacheUse(dependencies.cache, name, lifetimeMs, dependencies.clock);
}

function accessOf(models: readonly string[] | null): string {
  return models === null ? '*' : JSON.stringify([...models].sort());
}
