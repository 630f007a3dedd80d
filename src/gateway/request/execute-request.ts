import { SluiceError } from '../../errors/index.ts';
import { admit } from './admit.ts';
import { startMetering, type AdmittedRequest } from './admitted-request.ts';
import { collectRequest } from './attempt/collect-request.ts';
import { logFailure } from './log-failure.ts';
import { recordRefusal } from './reject.ts';
import type { RequestContext } from './request-context.ts';
import { respond } from './respond.ts';
import { route } from './route.ts';
import { closeRequest, failedOutcome, outcomeOf, refusalOf, rejectedOutcome } from './settle.ts';

/**
 * Runs one request: admit (which resolves it), route (begin record, attempts, relay), settle, respond. Never rejects. Each
 * `await` waits for something outside this process in the usual case: a phase that has nothing to wait for returns its
 * value, because promises are a noticeable part of a small request's cost.
 */
export async function executeRequest<Request, Summary>(context: RequestContext<Request, Summary>): Promise<void> {
  let request: AdmittedRequest<Summary> | null = null;
  try {
    const admitting = admit(context);
    const resolved = admitting instanceof Promise ? await admitting : admitting;
    if (resolved === null) return;
    if (context.call.collect !== undefined) return await collectRequest(context, resolved, context.call.collect);
    request = startMetering(context, resolved);
    const { attempt, end, wasSent } = await route(context, request);
    const refusal = wasSent || context.call.answered !== undefined ? null : refusalOf(end);
    // The rest of the response is sent once the request is settled.
    if (end.type === 'answered' || (end.type === 'streamed' && end.last !== null)) request.metering.times.markOutput();
    const outcome = refusal === null ? outcomeOf(context, request, attempt.stream, end) : rejectedOutcome(refusal);
    await closeRequest(context, request, outcome);
    if (refusal !== null && context.call.asOperator !== true) recordRefusal(context, request, refusal);
    respond(context, request, attempt, end, outcome);
  } catch (thrown) {
    abandon(context, request, new SluiceError('internal_error', { cause: thrown }));
  }
}

/** Ends a request because of an internal error. Never throws. */
function abandon<Request, Summary>(
  context: RequestContext<Request, Summary>,
  request: AdmittedRequest<Summary> | null,
  error: SluiceError,
): void {
  const { dependencies, call } = context;
  logFailure(dependencies.log, call.requestId, error);
  try {
    // No effect if it is settled: then writing to the client failed.
    void request?.metering.recordOutcome(failedOutcome(error));
    request?.gate?.end();
  } catch (cause) {
    logFailure(dependencies.log, call.requestId, new SluiceError('internal_error', { cause }));
  }
  context.end(error.status, 'internal_error');
  call.response.abort();
}
