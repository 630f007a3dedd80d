import type { SluiceError } from '../errors/index.ts';
import type { Call } from './call.ts';
import type { Capability } from './capabilities/capability.ts';
import type { Opening } from './opening.ts';
import type { RequestInput } from './request-input.ts';

/** Tokens of an answer, in the order in which they are tried. The last is what is set aside for a likely answer. */
const STEPS: readonly number[] = [32_768, 8_192, 2_048, 1_024];

/** The step that a call was sent on with last. */
const tried = new WeakMap<Call, number>();

/**
 * A request that comes in one piece cannot be stopped once it is sent: its budgets hold the longest answer that its model can
 * give. Where they have no room for that, and its caller set no bound, the provider is given one that they have room for.
 * @returns the request with the next bound; null where the refusal stands
 */
export function withOutputCap<Request, Facts>(
  capability: Capability<Request, Facts>,
  call: Call,
  opening: Opening<Request> | null,
  input: RequestInput | null,
  error: SluiceError,
): Buffer | null {
  if (error.code !== 'insufficient_quota' || opening === null || !Buffer.isBuffer(input)) return null;
  // What moderates it was paid for, and would be once more.
  if (capability.withMaxOutput === undefined || opening.guard !== null) return null;
  const { request, route } = opening;
  const before = tried.get(call) ?? route.maxOutputTokens ?? Infinity;
  if (!tried.has(call) && (capability.streamed(request) || capability.isBounded?.(request) === true)) return null;
  const tokens = STEPS.find((step) => step < before);
  if (tokens === undefined) return null;
  tried.set(call, tokens);
  call.outlet.cappedAt?.(tokens);
  return capability.withMaxOutput(input, tokens);
}
