import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import { insufficientQuota } from '../limits/budget.ts';
import { noUsage, type Reservation } from '../limits/limit-store.ts';
import { limitOutput } from './output-cap.ts';
import { rejectRequest } from './reject.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';
import { resolve, type LinkedRequest, type ResolvedRequest } from './resolution/resolve.ts';

/** Null where the request has ended: it was rejected, or its client disconnected. */
type Admission<Summary> = ResolvedRequest<Summary> | null;

/** Resolves a request, fetches what it links to, moderates its input and reserves its limits. @returns a promise where it has to wait for that */
export function admit<Request, Summary>(
  context: RequestContext<Request, Summary>,
): Admission<Summary> | Promise<Admission<Summary>> {
  let resolved: Admission<Summary> = null;
  try {
    const resolving = resolveInput(context);
    if (isLinked(resolving)) return admitLinked(context, resolving);
    if (resolving.gate !== null) return admitLater(context, resolving);
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
  resolved: ResolvedRequest<Summary>,
): Promise<Admission<Summary>> {
  try {
    await moderate(context, resolved);
    await reserve(context, resolved);
    return resolved;
  } catch (thrown) {
    return rejectOrLimit(context, resolved, thrown);
  }
}

/**
 * Reserves the limits before anything is fetched: a request without room downloads nothing, and one that downloads counts. Its
 * reservation is extended by the cost of the content; its tokens are corrected at settlement.
 */
async function admitLinked<Request, Summary>(
  context: RequestContext<Request, Summary>,
  linked: LinkedRequest<Summary>,
): Promise<Admission<Summary>> {
  const { dependencies, key, signal } = context;
  const { reservation } = linked.preliminary;
  let resolved = linked.preliminary;
  let isReserved = false;
  try {
    await reserve(context, resolved);
    isReserved = true;
    const complete = await fetchLinked(context, linked);
    resolved = { ...complete, reservation };
    await moderate(context, resolved);
    const { cache, loadingReasoning } = resolved;
    await extend(context, reservation, complete.reservation.costNano);
    await signal.race(Promise.all([cache?.lookUp(), loadingReasoning]));
    return resolved;
  } catch (thrown) {
    if (isReserved) dependencies.limits.settle(key, reservation, noUsage);
    return rejectOrLimit(context, resolved, thrown);
  }
}

/** @throws SluiceError insufficient_quota */
async function extend<Request, Summary>(
  { dependencies: { limits, clock }, key }: RequestContext<Request, Summary>,
  reservation: Reservation,
  costNano: bigint,
): Promise<void> {
  if (costNano <= reservation.costNano) return;
  const full = await limits.extend(key, reservation, costNano - reservation.costNano);
  if (full !== null) throw insufficientQuota(full, costNano, clock.now());
}

async function moderate<Request, Summary>(
  context: RequestContext<Request, Summary>,
  { gate }: ResolvedRequest<Summary>,
): Promise<void> {
  const terminate = (error: SluiceError): void => context.terminate(error);
  const moderating = gate?.moderateInput(terminate, context.call.answered !== undefined);
  if (moderating !== undefined) await context.signal.race(moderating);
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

type Resolved<Summary> = ResolvedRequest<Summary> | LinkedRequest<Summary>;

function isLinked<Summary>(resolved: Resolved<Summary>): resolved is LinkedRequest<Summary> {
  return 'fetchLinked' in resolved;
}

function resolveInput<Request, Summary>(context: RequestContext<Request, Summary>): Resolved<Summary> {
  const { input } = context.body;
  if (input === null) throw new Error('the request has ended');
  return resolve(context, input);
}

/** Resolves the request with the content that it links to. */
async function fetchLinked<Request, Summary>(
  context: RequestContext<Request, Summary>,
  linked: LinkedRequest<Summary>,
): Promise<ResolvedRequest<Summary>> {
  context.body.replace(await context.signal.race(linked.fetchLinked()));
  const resolved = resolveInput(context);
  return isLinked(resolved) ? fetchLinked(context, resolved) : resolved;
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
