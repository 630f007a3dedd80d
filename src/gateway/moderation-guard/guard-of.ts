import type { Call, ExchangeParts } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import { guardsOf } from './guard-settings.ts';
import { Guard } from './guard.ts';
import { Moderator } from './moderator.ts';

/** What guards a request: its route's and its key's settings, all of them. Null for one that nothing guards. */
export function guardOf<Request, Facts>(
  parts: ExchangeParts,
  { judged }: Capability<Request, Facts>,
  { key }: Call,
  plan: ResolvedRoute,
  request: Request,
): Guard | null {
  const guards = guardsOf(plan.moderation, key.moderation);
  if (guards === null || judged === undefined) return null;
  const annotation: typeof judged.annotation = (first, output) => judged.annotation(first, output);
  return new Guard(guards, new Moderator(parts, key), judged.input(request), annotation);
}
