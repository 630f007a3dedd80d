import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { compactionInput, compactionOf } from '../../gateway/capabilities/responses/compaction.ts';
import { answerObject } from '../http/object-list.ts';
import { keyOf } from '../authentication/caller.ts';
import { answerError, onlyMethods } from '../http/errors.ts';
import { forwardObject, type AboutObject } from './forward-object.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import { createResponse, type ResponseVariant } from './create-response.ts';
import { followResponse } from './follow-response.ts';
import { inputItemsPage } from './input-items.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';

/** Source: OpenAI's API document, CompactResource. */
const compaction: ResponseVariant = { input: compactionInput, document: compactionOf };

const NO_BODY = Buffer.alloc(0);

/** `/responses`, for authenticated clients. Source: OpenAI's API document, Responses. */
export function buildResponsesRouter(deps: ResponseRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const posting = onlyMethods('POST', 'OPTIONS');
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  router.route('/responses').post(createResponse(deps)).all(posting);
  router.route('/responses/compact').post(createResponse(deps, compaction)).all(posting);
  router.route('/responses/:id').get(retrieveResponse(deps)).delete(deleteResponse(deps)).all(one);
  router.route('/responses/:id/cancel').post(cancelResponse(deps)).all(posting);
  router.route('/responses/:id/input_items').get(listInputItems(deps)).all(reading);
  return router;
}

function retrieveResponse(deps: ResponseRouteDependencies): RequestHandler {
  const { responses, access } = deps;
  return async (request, response) => {
    const id = String(request.params.id);
    if (isAtProvider(id)) return forwardObject(deps, request, response, about(id, 'GET'));
    const reach = await access.reachOf(keyOf(response), 'responses.read');
    const { stream, starting_after: after } = request.query;
    const isStream = readFlag('stream', stream);
    const from = sequenceNumber(after);
    const found = await responses.get(reach, id);
    if (!isStream || request.method === 'HEAD') return answerObject(response, found.response);
    if (!found.background)
      throw new SluiceError('invalid_value', {
        param: 'stream',
        values: { reason: 'only a response created with background=true can be streamed.' },
      });
    return followResponse(deps, response, reach, id, from);
  };
}

function deleteResponse(deps: ResponseRouteDependencies): RequestHandler {
  const { responses, access, runs } = deps;
  return async (request, response) => {
    const id = String(request.params.id);
    if (isAtProvider(id)) return forwardObject(deps, request, response, about(id, 'DELETE'));
    const removed = await responses.remove(await access.reachOf(keyOf(response), 'responses.write'), id);
    runs.cancel(removed.id);
    answerObject(response, { id, object: 'response', deleted: true });
  };
}

function cancelResponse(deps: ResponseRouteDependencies): RequestHandler {
  const { responses, access, runs, idempotency } = deps;
  const cancel = async (id: string, request: Request, response: Response): Promise<void> => {
    if (isAtProvider(id)) return forwardObject(deps, request, response, about(id, 'POST', '/cancel'));
    const reach = await access.reachOf(keyOf(response), 'responses.write');
    const cancelled = await responses.requestCancel(reach, id);
    runs.cancel(cancelled.id);
    answerObject(response, (await responses.ended(reach, id)).response);
  };
  return (request, response) => {
    const id = String(request.params.id);
    const claimed = idempotency.begin(request, response, keyOf(response));
    if (claimed === null) return cancel(id, request, response);
    const fail = (error: unknown): void => answerError(claimed.response, toSluiceError(error));
    const run = (): void => void cancel(id, request, claimed.response).catch(fail);
    return claimed.claim(NO_BODY, run, fail);
  };
}

function listInputItems(deps: ResponseRouteDependencies): RequestHandler {
  const { responses, access } = deps;
  return async (request, response) => {
    const id = String(request.params.id);
    if (isAtProvider(id)) return forwardObject(deps, request, response, about(id, 'GET', '/input_items'));
    const reach = await access.reachOf(keyOf(response), 'responses.read');
    const found = await responses.get(reach, id);
    answerObject(response, inputItemsPage(found, request.query));
  };
}

/** Whether a response is not stored here: then a provider may hold it. */
function isAtProvider(publicId: string): boolean {
  return responseNames.read(publicId) === null;
}

function about(id: string, method: AboutObject['method'], suffix = ''): AboutObject {
  return { method, what: 'response', id, suffix };
}

function readFlag(param: string, given: unknown): boolean {
  if (given === undefined || given === 'false') return false;
  if (given === 'true') return true;
  throw new SluiceError('invalid_value', { param, values: { reason: "it must be 'true' or 'false'." } });
}

function sequenceNumber(after: unknown): number {
  if (after === undefined) return -1;
  if (typeof after === 'string' && /^\d{1,9}$/.test(after)) return Number(after);
  throw new SluiceError('invalid_value', { param: 'starting_after', values: { reason: 'it must be an integer.' } });
}
