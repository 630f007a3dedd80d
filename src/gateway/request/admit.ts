import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import { noUsage } from '../limits/limit-store.ts';
import { limitOutput } from './output-cap.ts';
import { rejectRequest } from './reject.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';
import { resolve, type ResolvedRequest } from './resolve.ts';

/** Null where the request has ended: it was rejected, or its client disconnected. */
type Admission<Summary> = ResolvedRequest<Summary> | null;

/** Resolves a request, moderates its input and reserves its limits. @returns a promise where it has to wait for that */
export function admit<Request, Summary>(
  context: RequestContext<Request, Summary>,
): Admission<Summary> | Promise<Admission<Summary>> {
  let resolved: Admission<Summary> = null;
  try {
    const resolving = resolveInput(context);
    if (resolving instanceof Promise || resolving.gate !== null) return admitLater(context, resolving);
    resolved = resolving;
    const reserving = reserve(context, resolved);
    if (reserving === undefined) return resolved;
    return reserving.then(
      () => resolved,
      (thrown: unknown) => rejectOrLimit(context, resolved, thrown),
    );
  } catch (thrown) {
    return rejectOrLimit(context, resolved, thrown);
  }
}

async function admitLater<Request, Summary>(
  context: RequestContext<Request, Summary>,
  resolving: ResolvedRequest<Summary> | Promise<ResolvedRequest<Summary>>,
): Promise<Admission<Summary>> {
  let resolved: Admission<Summary> = null;
  try {
    resolved = await resolving;
    const { answered } = context.call;
    const terminate = (error: SluiceError): void => context.terminate(error);
    const moderating = resolved.gate?.moderateInput(terminate, answered !== undefined);
    if (moderating !== undefined) await context.signal.race(moderating);
    await reserve(context, resolved);
    return resolved;
  } catch (thrown) {
    return rejectOrLimit(context, resolved, thrown);
  }
}

/** Rejects the request, unless it can be admitted with a lower limit of its output. */
function rejectOrLimit<Request, Summary>(
  context: RequestContext<Request, Summary>,
  resolved: Admission<Summary>,
  thrown: unknown,
): Admission<Summary> | Promise<Admission<Summary>> {
  const error = admissionError(thrown);
  const limited = error === null ? null : limitOutput(context, resolved, error);
  if (limited !== null) {
    context.body.replace(limited);
    return admit(context);
  }
  resolved?.gate?.end();
  if (error === null) context.end(CLIENT_CLOSED_REQUEST, null);
  else rejectRequest(context, resolved, error);
  return null;
}

/** Resolves the body, once the content that it links to is part of it. */
function resolveInput<Request, Summary>(
  context: RequestContext<Request, Summary>,
): ResolvedRequest<Summary> | Promise<ResolvedRequest<Summary>> {
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
function reserve<Request, Summary>(
  { dependencies: { limits }, call: { key, response, answered }, signal }: RequestContext<Request, Summary>,
  { cache, target, reservation, loadingReasoning }: ResolvedRequest<Summary>,
): Promise<unknown> | undefined {
  if (answered !== undefined) return loadingReasoning;
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
function admissionError(thrown: unknown): SluiceError | null {
  if (!(thrown instanceof RequestAborted)) return toSluiceError(thrown);
  return thrown.reason.type === 'failed' ? thrown.reason.error : null;
}
