import { pipeline } from 'node:stream/promises';
import express, { type RequestHandler, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { toMessageBatch } from '../../services/batches/message-batch.ts';
import type { BatchPageRequest } from '../../services/batches/batch-input.ts';
import { keyOf } from '../authentication/caller.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { onlyMethods } from '../http/errors.ts';
import { originOf } from '../http/request-origin.ts';
import { sendJson } from '../http/send-json.ts';
import { withIdempotency } from '../idempotency/with-idempotency.ts';
import { createMessageBatch } from './create-message-batch.ts';
import type { BatchRouteDependencies } from './route-dependencies.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
const root = '/messages/batches';

/** `/messages/batches`, for authenticated clients. Source: Anthropic's API reference, Message Batches. */
export function buildMessageBatchesRouter(deps: BatchRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router
    .route(root)
    .get(listBatches(deps))
    .post(createMessageBatch(deps))
    .all(onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS'));
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  router.route(`${root}/:id`).get(retrieveBatch(deps)).delete(deleteBatch(deps)).all(one);
  router.route(`${root}/:id/cancel`).post(cancelBatch(deps)).all(onlyMethods('POST', 'OPTIONS'));
  router.route(`${root}/:id/results`).get(batchResults(deps)).all(reading);
  return router;
}

function listBatches(deps: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const page = readPage(request.query);
    const { rows, hasMore } = await deps.batches.list(await reading(deps, response), 'anthropic', page);
    const newestFirst = page.before === null ? rows : rows.toReversed();
    const data = newestFirst.map((batch) => toMessageBatch(batch, originOf(request)));
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    answer(response, { data, has_more: hasMore, first_id: first, last_id: last });
  };
}

function retrieveBatch(deps: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const batch = await deps.batches.get(await reading(deps, response), 'anthropic', String(request.params.id));
    answer(response, toMessageBatch(batch, originOf(request)));
  };
}

function cancelBatch({ batches, access, idempotency }: BatchRouteDependencies): RequestHandler {
  return withIdempotency(idempotency, async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'batches.write');
    answer(
      response,
      toMessageBatch(await batches.cancel(reach, 'anthropic', String(request.params.id)), originOf(request)),
    );
  });
}

function deleteBatch({ batches, access }: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await batches.remove(await access.reachOf(keyOf(response), 'batches.write'), 'anthropic', id);
    answer(response, { id, type: 'message_batch_deleted' });
  };
}

function batchResults(deps: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const open = await deps.batches.results(await reading(deps, response), String(request.params.id));
    if (open === null) throw new SluiceError('not_found', { values: { what: 'result of this batch yet' } });
    setStandardHeaders(response);
    response.setHeader('content-type', 'application/x-jsonl').setHeader('content-length', open.blob.size);
    if (request.method === 'HEAD') {
      open.stream.destroy();
      response.end();
      return;
    }
    // A client that disconnects ends the stream of the file.
    await pipeline(open.stream, response).catch(() => response.destroy());
  };
}

function reading({ access }: BatchRouteDependencies, response: Response): Promise<ObjectReach> {
  return access.reachOf(keyOf(response), 'batches.read');
}

/** @throws SluiceError invalid_value */
function readPage(query: Readonly<Record<string, unknown>>): BatchPageRequest {
  const { limit = String(DEFAULT_LIMIT), after_id: after, before_id: before } = query;
  const rows = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (rows < 1 || rows > MAX_LIMIT) throw invalid('limit', `it must be an integer from 1 to ${MAX_LIMIT}.`);
  if (after !== undefined && before !== undefined) throw invalid('before_id', 'it excludes `after_id`.');
  return { limit: rows, after: readId('after_id', after), before: readId('before_id', before) };
}

function readId(param: string, given: unknown): string | null {
  if (given === undefined) return null;
  if (typeof given === 'string') return given;
  throw invalid(param, 'it must be a single value.');
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
