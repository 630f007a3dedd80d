import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import { noUsage } from '../limits/limit-store.ts';
import { limitOutput } from './output-cap.ts';
import { rejectRequest } from './reject.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';
import { resolve, type ResolvedRequest } from './resolve.ts';

/**
 * Resolves a request, moderates its input and reserves its limits.
 * @returns null where it has ended: it was rejected, or its client disconnected
 */
export async function admit<Request, Facts>(
  context: RequestContext<Request, Facts>,
): Promise<ResolvedRequest<Facts> | null> {
  for (;;) {
    let resolved: ResolvedRequest<Facts> | null = null;
    try {
      const resolving = resolveInput(context);
      resolved = resolving instanceof Promise ? await resolving : resolving;
      const moderating = resolved.guard?.moderateInput((error) => context.terminate(error));
      if (moderating !== undefined) await context.signal.race(moderating);
      const reserving = reserve(context, resolved);
      if (reserving !== undefined) await reserving;
      return resolved;
    } catch (thrown) {
      const error = errorOf(thrown);
      const limited = error === null ? null : limitOutput(context, resolved, error);
      if (limited === null) {
        resolved?.guard?.end();
        if (error === null) context.end(CLIENT_CLOSED_REQUEST, null);
        else rejectRequest(context, resolved, error);
        return null;
      }
      context.body.replace(limited);
    }
  }
}

/** Resolves the body, once the content that it links to is part of it. */
function resolveInput<Request, Facts>(
  context: RequestContext<Request, Facts>,
): ResolvedRequest<Facts> | Promise<ResolvedRequest<Facts>> {
  const { input } = context.body;
  if (input === null) throw new Error('the request has ended');
  const resolved = resolve(context, input);
  if (!(resolved instanceof Promise)) return resolved;
  return context.signal.race(resolved).then((inlined) => {
    context.body.replace(inlined);
    return resolveInput(context);
  });
}

/** Looks up the cache and reserves limits. @returns a promise where either is remote */
function reserve<Request, Facts>(
  { parts: { limits }, call: { key, response }, signal }: RequestContext<Request, Facts>,
  { cache, target, reservation, loadingReasoning }: ResolvedRequest<Facts>,
): Promise<unknown> | undefined {
  response.setBounds?.(reservation.bounds);
  const lookingUp = cache?.lookUp();
  const reserving = limits.reserve(key, target.model, reservation);
  if (lookingUp === undefined && reserving === undefined && loadingReasoning === undefined) return undefined;
  return signal.race(Promise.all([reserving, lookingUp, loadingReasoning])).catch((error: unknown) => {
    // The reservation may still be made; the request does not wait for it.
    Promise.resolve(reserving).then(
      () => limits.settle(key, reservation, noUsage),
      () => undefined,
    );
    throw error;
  });
}

/** Null where the client disconnected. */
function errorOf(thrown: unknown): SluiceError | null {
  if (!(thrown instanceof RequestAborted)) return toSluiceError(thrown);
  return thrown.reason.type === 'failed' ? thrown.reason.error : null;
}
