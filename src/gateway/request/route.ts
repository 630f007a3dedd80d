import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { FailureClass } from '../routing/health/failure-class.ts';
import type { Target } from '../routing/target.ts';
import { Attempt } from './attempt/attempt.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import { logFailure, setFailedTarget } from './log-failure.ts';
import { moderateOutput } from './moderate-output.ts';
import { publishResponse } from './publish.ts';
import type { RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';
import type { AttemptSummary } from './attempt/attempt-summary.ts';
import { completeUsage } from './settle.ts';
import { outputSpeed } from '../usage/attempts/output-speed.ts';

/** The last attempt of a request, and how it ended. */
export interface RouteResult {
  readonly attempt: AttemptSummary;
  /** Of a failure, with the error for the client. */
  readonly end: AttemptEnd;
  /** Whether a provider may have been sent the request. */
  readonly wasSent: boolean;
}

/**
 * Writes the begin record, then tries one target after another until one responds, or none is left. A request whose
 * client has received output stays with its target. Never rejects: what has begun must be settled.
 */
export async function route<Request, Summary>(
  context: RequestContext<Request, Summary>,
  request: AdmittedRequest<Summary>,
): Promise<RouteResult> {
  let { target } = request;
  let attempt: AttemptSummary = { target, dropped: [], stream: null };
  /** The error of the last attempt that reached a provider. */
  let providerError: SluiceError | null = null;
  /** The last attempt that reached a provider. */
  let sent: AttemptSummary | null = null;
  try {
    await request.metering.begin();
    for (;;) {
      context.signal.throwIfAborted();
      const current = new Attempt(context, request, target);
      attempt = current;
      recordStart(request, target);
      const end = await current.run();
      if (end.type !== 'failed') {
        recordEnd(request, current, end);
        if (request.gate !== null)
          return { attempt, end: await moderateOutput(context, request, request.gate, end), wasSent: true };
        if (end.type === 'answered') publishResponse(request.publisher, end.response);
        return { attempt, end, wasSent: true };
      }
      const failure = recordFailure(request, target, end);
      if (!end.isLocal) sent = attempt;
      // What was received is billed. Another attempt would be billed, too.
      if (end.used?.hasResponse === true) return { attempt, end, wasSent: true };
      // Report the provider's failure, not that of a later target which could not accept the request.
      const error: SluiceError = end.isLocal ? (providerError ?? end.error) : end.error;
      providerError = error;
      const next = await nextTarget(context, request, { target, failure, error });
      if (next === null) return { attempt: sent ?? attempt, end: { ...end, error }, wasSent: sent !== null };
      target = next;
    }
  } catch (thrown) {
    return { attempt: sent ?? attempt, end: endOf(thrown), wasSent: sent !== null };
  }
}

interface FailedTarget {
  readonly target: Target;
  readonly failure: FailureClass;
  readonly error: SluiceError;
}

/**
 * Selects the target of the next attempt, and waits where it has to.
 * @returns null where the failure is final
 * @throws RequestAborted
 */
async function nextTarget<Request, Summary>(
  context: RequestContext<Request, Summary>,
  { selection, route: { timeouts } }: AdmittedRequest<Summary>,
  { target, failure, error }: FailedTarget,
): Promise<Target | null> {
  const { body, signal, deadline, dependencies, call } = context;
  for (;;) {
    signal.throwIfAborted();
    // Released when the client received output: the request stays with its target.
    if (body.input === null) return null;
    const trial = Promise.withResolvers<boolean>();
    const next = selection.next(target, failure, error, () => trial.resolve(true));
    if (next === null) return null;
    if (next === 'wait') {
      // A trial of another request shows whether a target works.
      deadline.expect('', timeouts.headers);
      deadline.listener = { onDeadline: () => trial.resolve(false) };
      if (!(await signal.race(trial.promise))) return null;
      deadline.clear();
      continue;
    }
    logFailure(dependencies.log, call.requestId, error);
    if (next.delayMs > 0) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      dependencies.clock.setTimeout(() => resolve(undefined), next.delayMs).unref();
      await signal.race(promise);
    }
    return next.target;
  }
}

function endOf(thrown: unknown): AttemptEnd {
  if (thrown instanceof RequestAborted) return { type: 'aborted', reason: thrown.reason };
  return { type: 'failed', error: toSluiceError(thrown), isLocal: true };
}

function recordStart<Summary>(
  { metering, selection, cache, recording, publisher }: AdmittedRequest<Summary>,
  target: Target,
): void {
  metering.startAttempt(target);
  selection.onAttemptStarted(target);
  cache?.startRecording();
  recording?.restart();
  publisher.model = target.model;
  if (publisher.isWatched)
    publisher.publish({ type: 'started', model: target.model, provider: target.connection.provider });
}

/** Records the failure of an attempt in the health of its target. */
function recordFailure<Summary>(
  { metering, selection }: AdmittedRequest<Summary>,
  target: Target,
  { error, isLocal }: Extract<AttemptEnd, { type: 'failed' }>,
): FailureClass {
  setFailedTarget(error, target);
  metering.recordFailedAttempt(error, isLocal);
  return isLocal ? selection.recordLocalRefusal(target, error) : selection.recordFailure(target, error);
}

function recordEnd<Summary>(
  { metering, selection, cache }: AdmittedRequest<Summary>,
  { target, dropped }: AttemptSummary,
  end: Exclude<AttemptEnd, { type: 'failed' }>,
): void {
  if (end.type === 'aborted') return selection.recordInconclusive(target);
  selection.recordSuccess(target);
  cache?.store(target, dropped, () => metering.costOf(completeUsage(metering, end)));
  if (end.type !== 'streamed') return;
  const tokens = end.stream.usage?.outputTokens ?? end.stream.estimatedOutputTokens;
  const speed = outputSpeed(tokens, metering.times.sinceFirstTokenMs);
  if (speed !== null) target.health.recordThroughput(speed);
}
