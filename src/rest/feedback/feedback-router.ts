import express, { type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { objectIn, type RequestInput } from '../../gateway/request-input.ts';
import { isTraceName } from '../../gateway/usage/request-trace.ts';
import { readFeedback } from '../../services/feedback/feedback-input.ts';
import { publicFeedback, type FeedbackService, type FeedbackTarget } from '../../services/feedback/feedback.service.ts';
import { keyOf } from '../authentication/caller.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import { onlyMethods } from '../http/errors.ts';
import { answerObject } from '../http/object-list.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { withJsonBody } from '../idempotency/with-idempotency.ts';

export interface FeedbackRouteDependencies {
  readonly feedback: Pick<FeedbackService, 'submit'>;
  readonly access: ObjectAccess;
  readonly idempotency: Idempotency;
}

/** `POST /feedback`, for authenticated clients. */
export function buildFeedbackRouter({ feedback, access, idempotency }: FeedbackRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/feedback')
    .post(
      withJsonBody(idempotency, async (_request, response, input) => {
        const key = keyOf(response);
        const [target, given] = [readTarget(input), readFeedback(objectIn(input))];
        const reach = await access.reachOf(key, 'feedback.write');
        answerObject(response, publicFeedback(await feedback.submit(reach, key.id, target, given)));
      }),
    )
    .all(onlyMethods('POST', 'OPTIONS'));
  return router;
}

/** @throws SluiceError missing_required_parameter | invalid_value | not_found for an ID that no request has */
function readTarget(input: RequestInput): FeedbackTarget {
  const { request_id: requestId = null, session_id: sessionId = null } = objectIn(input);
  if (requestId === null && sessionId === null)
    throw new SluiceError('missing_required_parameter', { param: 'request_id' });
  if (requestId !== null && sessionId !== null)
    throw invalid('session_id', 'give either `request_id` or `session_id`.');
  if (sessionId !== null) {
    if (typeof sessionId !== 'string' || !isTraceName(sessionId))
      throw invalid('session_id', 'it must be the ID of a session.');
    return { sessionId };
  }
  if (typeof requestId !== 'string') throw invalid('request_id', 'it must be the `x-request-id` of a response.');
  const eventId = eventIdOf(requestId);
  if (eventId === null) throw new SluiceError('not_found', { param: 'request_id', values: { what: 'request' } });
  return { eventId };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
