import type { SluiceError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import type { RequestContext } from './request-context.ts';
import type { ResolvedRequest } from './resolution/resolve.ts';

/** Output limits in the order in which they are tried. The last is the reserve of a typical response. */
const STEPS: readonly number[] = [32_768, 8_192, 2_048, 1_024];

/** The last step tried for a call. */
const tried = new WeakMap<Call, number>();

/**
 * An unstreamed request cannot be stopped once it is sent, so its budgets reserve the longest response of its model.
 * Where they have no room for it and the client set no limit, the provider gets a limit that fits.
 * @returns the request with the next limit; null where the rejection stands
 */
export function limitOutput<Request, Summary>(
  { capability, call, body: { input } }: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary> | null,
  error: SluiceError,
): Buffer | null {
  if (error.code !== 'insufficient_quota' || resolved === null || !Buffer.isBuffer(input)) return null;
  // Moderation has been billed, and would be billed again.
  if (capability.withMaxOutput === undefined || resolved.gate !== null) return null;
  const { streamed, isBounded, target } = resolved;
  const before = tried.get(call) ?? target.maxOutputTokens ?? Infinity;
  if (!tried.has(call) && (streamed || isBounded)) return null;
  const tokens = STEPS.find((step) => step < before);
  if (tokens === undefined) return null;
  tried.set(call, tokens);
  call.response.setOutputCap?.(tokens);
  return capability.withMaxOutput(input, tokens);
}
