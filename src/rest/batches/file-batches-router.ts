import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { valueOf } from '../../gateway/request-input.ts';
import { toFileBatch } from '../../services/batches/file-batch.ts';
import { MAX_FILE_BATCH_BYTES } from '../../services/batches/limits.ts';
import { readListPage } from '../../services/list-page.ts';
import { keyOf } from '../authentication/caller.ts';
import { identityOf } from '../headers/request-headers.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { onlyMethods } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';
import type { BatchRouteDependencies } from './route-dependencies.ts';
import { readFileBatch } from './read-file-batch.ts';
import { withIdempotency, withJsonBody } from '../idempotency/with-idempotency.ts';

/** `/batches`, for authenticated clients. Source: OpenAI's API document, Batch. */
export function buildFileBatchesRouter(deps: BatchRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const all = onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS');
  router.route('/batches').get(listBatches(deps)).post(createBatch(deps)).all(all);
  router
    .route('/batches/:id')
    .get(retrieveBatch(deps))
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  router.route('/batches/:id/cancel').post(cancelBatch(deps)).all(onlyMethods('POST', 'OPTIONS'));
  return router;
}

function createBatch({ batches, files, access, idempotency }: BatchRouteDependencies): RequestHandler {
  const create = async (_request: Request, response: Response, body: Buffer): Promise<void> => {
    const key = keyOf(response);
    const { inputFileId, ...given } = readFileBatch(valueOf(body));
    const reach = await access.reachOf(key, 'files.read');
    const { purpose, bytes } = await files.get(reach, inputFileId, 'input_file_id');
    if (purpose !== 'batch') throw invalidFile("the purpose of the file must be 'batch'.");
    if (bytes > MAX_FILE_BATCH_BYTES) throw invalidFile(`the file is larger than ${MAX_FILE_BATCH_BYTES} bytes.`);
    const { eventId: id } = identityOf(response);
    const created = await batches.createFromFile({ id, key, inputFileId, ...given });
    response.locals.span?.createdBatch(id);
    answer(response, toFileBatch(created));
  };
  return withJsonBody(idempotency, create);
}

function listBatches({ batches, access }: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const { limit, after } = readListPage({ limit: request.query.limit, after: request.query.after });
    const reach = await access.reachOf(keyOf(response), 'batches.read');
    const { rows, hasMore } = await batches.list(reach, 'openai', { limit, after, before: null });
    const data = rows.map(toFileBatch);
    const [first, last] = [data[0]?.id, data.at(-1)?.id];
    answer(response, { object: 'list', data, ...(first && { first_id: first, last_id: last }), has_more: hasMore });
  };
}

function retrieveBatch({ batches, access }: BatchRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'batches.read');
    answer(response, toFileBatch(await batches.get(reach, 'openai', String(request.params.id))));
  };
}

function cancelBatch({ batches, access, idempotency }: BatchRouteDependencies): RequestHandler {
  return withIdempotency(idempotency, async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'batches.write');
    answer(response, toFileBatch(await batches.cancel(reach, 'openai', String(request.params.id))));
  });
}

function invalidFile(reason: string): SluiceError {
  return new SluiceError('invalid_value', { param: 'input_file_id', values: { reason } });
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
