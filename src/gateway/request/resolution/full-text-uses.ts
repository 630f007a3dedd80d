import { cacheLifetime, requestCache } from '../../cache/request-cache.ts';
import type { CacheUse } from '../../cache/cache-use.ts';
import type { Outline } from '../../capabilities/outline.ts';
import { buildModerationGate } from '../../moderation/build-moderation-gate.ts';
import type { ModerationGate } from '../../moderation/moderation-gate.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import type { ResolvedRoute } from '../../routing/resolved-route.ts';
import type { RequestContext } from '../request-context.ts';

/** A request that is parsed and routed. */
export interface ParsedRequest<Request> {
  readonly input: RequestInput;
  readonly outline: Outline | null;
  readonly request: Request;
  readonly requestedModel: string;
  readonly route: ResolvedRoute;
}

interface FullTextUses {
  /** Null where caching is not enabled. */
  readonly cache: CacheUse | null;
  /** Null without moderation. */
  readonly gate: ModerationGate | null;
}

export const noFullTextUses: FullTextUses = { cache: null, gate: null };

/** Moderation and the cache need the complete text, not only its outline. */
export function fullTextUses<Request, Summary>(
  { dependencies, capability, call }: Pick<RequestContext<Request, Summary>, 'dependencies' | 'capability' | 'call'>,
  { input, outline, request, route }: Omit<ParsedRequest<Request>, 'requestedModel'>,
): FullTextUses {
  const lifetimeMs = cacheLifetime(call, route);
  const isModerated = route.moderation !== null || call.key.moderation !== null;
  if (lifetimeMs === 0 && !isModerated) return noFullTextUses;
  const complete = outline === null ? request : capability.parse(valueOf(input));
  return {
    cache:
      lifetimeMs === 0
        ? null
        : requestCache(dependencies, capability, call, { route, request: complete, input }, lifetimeMs),
    gate: isModerated ? buildModerationGate(dependencies, capability, call, route, complete) : null,
  };
}
