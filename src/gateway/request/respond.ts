import type { RequestOutcome } from '../usage/request-outcome.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import type { AdmittedRequest } from './begin.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';
import { sendHead, type Attempted } from './attempt/response-head.ts';
import { errorOf } from './settle.ts';

/** Publishes the end of a settled request, and sends the rest of the response. */
export function respond<Request, Facts>(
  context: RequestContext<Request, Facts>,
  request: AdmittedRequest<Facts>,
  attempt: Attempted,
  end: AttemptEnd,
  outcome: RequestOutcome,
): void {
  const { response } = context.call;
  const { publisher, metering } = request;
  if (publisher.isWatched) publisher.publish(metering.lastUpdate(outcome));
  const error = errorOf(end);
  if (error !== null) {
    context.end(error.status, error.code);
    response.fail(error, { provider: attempt.target.connection.provider, model: attempt.target.model });
  } else if (end.type === 'streamed') {
    const { contentType, closing } = end.stream;
    if (!context.isHeadSent) sendHead(context, request, attempt, { contentType, contentLength: null, costNano: null });
    context.end(200, null);
    if (end.last !== null) response.write(end.last);
    response.end(closing, outcome.cost);
  } else if (end.type === 'answered') {
    const { bytes, answer } = end;
    const head = { contentType: answer.contentType, contentLength: bytes.length, costNano: outcome.cost };
    sendHead(context, request, attempt, head);
    context.end(200, null);
    response.end(bytes, outcome.cost);
  } else context.end(CLIENT_CLOSED_REQUEST, null);
}
