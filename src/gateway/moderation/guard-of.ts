import type { Call, RequestDependencies } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import { guardsOf } from '../keys/guard-settings.ts';
import { Guard } from './guard.ts';
import { Moderator } from './moderator.ts';

/** The guard with the moderation settings of a request's route and key; null for none. */
export function guardOf<Request, Summary>(
  dependencies: RequestDependencies,
  { moderation }: Capability<Request, Summary>,
  { key }: Call,
  route: ResolvedRoute,
  request: Request,
): Guard | null {
  const guards = guardsOf(route.moderation, key.moderation);
  if (guards === null || moderation === undefined) return null;
  const annotation: typeof moderation.annotation = (first, output) => moderation.annotation(first, output);
  return new Guard(guards, new Moderator(dependencies, key), moderation.input(request), annotation);
}
