import type { Call, RequestDependencies } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import { distinctSettings } from '../keys/moderation-settings.ts';
import { ModerationGate } from './moderation-gate.ts';
import { Moderator } from './moderator.ts';

/** The gate with the moderation settings of a request's route and key; null for none. */
export function buildModerationGate<Request, Summary>(
  dependencies: RequestDependencies,
  { moderation }: Capability<Request, Summary>,
  { key, span }: Call,
  route: ResolvedRoute,
  request: Request,
): ModerationGate | null {
  const settings = distinctSettings(route.moderation, key.moderation);
  if (settings === null || moderation === undefined) return null;
  const annotation: typeof moderation.annotation = (first, output) => moderation.annotation(first, output);
  return new ModerationGate(settings, new Moderator(dependencies, key, span), moderation.input(request), annotation);
}
