import { toSluiceError } from '../../errors/index.ts';
import { admit } from './admit.ts';
import { startMetering } from './begin.ts';
import { logFailure } from './log-failure.ts';
import type { RequestContext } from './request-context.ts';
import { respond } from './respond.ts';
import { route } from './route.ts';
import { outcomeOf, closeRequest } from './settle.ts';

/**
 * Runs one request: admit (which resolves it), begin, route (attempt, relay), settle, respond. Never rejects. Each
 * `await` waits for something outside this process in the usual case: a phase that has nothing to wait for returns its
 * value, because promises are a noticeable part of a small request's cost.
 */
export async function executeRequest<Request, Summary>(context: RequestContext<Request, Summary>): Promise<void> {
  try {
    const admitting = admit(context);
    const resolved = admitting instanceof Promise ? await admitting : admitting;
    if (resolved === null) return;
    const request = startMetering(context, resolved);
    const { attempt, end } = await route(context, request);
    const outcome = outcomeOf(context, request, attempt.stream, end);
    await closeRequest(context, request, outcome);
    respond(context, request, attempt, end, outcome);
  } catch (error) {
    // What has begun is settled by now: writing to the client fails.
    logFailure(context.dependencies.log, context.call.requestId, toSluiceError(error));
    context.end(500, 'internal_error');
    context.call.response.abort();
  }
}
