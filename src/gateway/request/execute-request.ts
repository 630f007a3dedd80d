import { toSluiceError } from '../../errors/index.ts';
import { admit } from './admit.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import { startMetering, type AdmittedRequest } from './begin.ts';
import { logFailure } from './log-failure.ts';
import { moderateOutput } from './moderate-output.ts';
import { publishAnswer } from './publish.ts';
import type { RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';
import { respond } from './respond.ts';
import { route, type RouteResult } from './route.ts';
import { settle } from './settle.ts';

/** Runs one request: admit (which resolves it), begin, route (attempt, relay), settle, respond. Never rejects. */
export async function executeRequest<Request, Facts>(context: RequestContext<Request, Facts>): Promise<void> {
  try {
    const resolved = await admit(context);
    if (resolved === null) return;
    const request = startMetering(context, resolved);
    const { attempt, end } = await serve(context, request);
    const outcome = await settle(context, request, attempt.stream, end);
    respond(context, request, attempt, end, outcome);
  } catch (error) {
    // What has begun is settled by now: writing to the client fails.
    logFailure(context.parts.log, context.call.requestId, toSluiceError(error));
    context.end(500, 'internal_error');
    context.call.response.abort();
  }
}

/** Writes the begin record and has the request served. Never rejects: what has begun must be settled. */
async function serve<Request, Facts>(
  context: RequestContext<Request, Facts>,
  request: AdmittedRequest<Facts>,
): Promise<RouteResult> {
  try {
    await request.metering.begin();
    context.signal.throwIfAborted();
    const { attempt, end } = await route(context, request);
    if (request.guard !== null) return { attempt, end: await moderateOutput(context, request, request.guard, end) };
    if (end.type === 'answered') publishAnswer(request.publisher, end.answer);
    return { attempt, end };
  } catch (thrown) {
    return { attempt: { target: request.target, dropped: [], stream: null }, end: endOf(thrown) };
  }
}

function endOf(thrown: unknown): AttemptEnd {
  if (thrown instanceof RequestAborted) return { type: 'aborted', reason: thrown.reason };
  return { type: 'failed', error: toSluiceError(thrown), isLocal: true };
}
