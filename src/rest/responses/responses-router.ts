import express, { type RequestHandler, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { ResponsesService } from '../../services/responses/responses.service.ts';
import { setStandardHeaders } from '../answer-headers.ts';
import { answerJson } from '../answer-json.ts';
import { keyOf } from '../caller.ts';
import { onlyMethods } from '../errors.ts';
import { createResponse, type ResponseRouteDependencies } from './create-response.ts';
import { followResponse } from './follow-response.ts';
import { inputItemsPage } from './input-items.ts';

/** `/responses`, for a caller who is known. Source: OpenAI's API document, Responses. */
export function buildResponsesRouter(deps: ResponseRouteDependencies): Router {
  const { responses } = deps;
  const router = express.Router({ caseSensitive: true });
  const posting = onlyMethods('POST', 'OPTIONS');
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  router.route('/responses').post(createResponse(deps)).all(posting);
  router.route('/responses/:id').get(retrieveResponse(deps)).delete(deleteResponse(deps)).all(one);
  router.route('/responses/:id/cancel').post(cancelResponse(deps)).all(posting);
  router.route('/responses/:id/input_items').get(listInputItems(responses)).all(reading);
  return router;
}

function retrieveResponse(deps: ResponseRouteDependencies): RequestHandler {
  const { responses } = deps;
  return async (request, response) => {
    const id = String(request.params.id);
    const { stream, starting_after: after } = request.query;
    const found = await responses.get(keyOf(response).accountId, id);
    if (stream !== 'true' || request.method === 'HEAD') return answer(response, found.response);
    if (!found.background)
      throw new SluiceError('invalid_value', {
        param: 'stream',
        values: { reason: 'only a response that was created with background=true can be streamed again.' },
      });
    return followResponse(deps, response, id, sequenceNumber(after));
  };
}

function deleteResponse({ responses, runs }: ResponseRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    const removed = await responses.remove(keyOf(response).accountId, id);
    runs.cancel(removed.id);
    answer(response, { id, object: 'response', deleted: true });
  };
}

function cancelResponse({ responses, runs }: ResponseRouteDependencies): RequestHandler {
  return async (request, response) => {
    const { accountId } = keyOf(response);
    const id = String(request.params.id);
    const asked = await responses.askCancel(accountId, id);
    runs.cancel(asked.id);
    answer(response, (await responses.ended(accountId, id)).response);
  };
}

function listInputItems(responses: ResponsesService): RequestHandler {
  return async (request, response) => {
    const found = await responses.get(keyOf(response).accountId, String(request.params.id));
    answer(response, inputItemsPage(found, request.query));
  };
}

function sequenceNumber(after: unknown): number {
  if (after === undefined) return -1;
  if (typeof after === 'string' && /^\d{1,9}$/.test(after)) return Number(after);
  throw new SluiceError('invalid_value', { param: 'starting_after', values: { reason: 'it must be a whole number.' } });
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  answerJson(response, 200, JSON.stringify(body));
}
