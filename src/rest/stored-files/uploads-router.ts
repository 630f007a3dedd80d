import express, { type RequestHandler, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { valueOf } from '../../gateway/request-input.ts';
import { uploadObject, uploadPartObject } from '../../services/files/upload-object.ts';
import { MAX_PART_BYTES } from '../../services/files/upload-limits.ts';
import { keyOf } from '../authentication/caller.ts';
import { formBytes } from '../body/read-form.ts';
import { SpooledFile } from '../files/spooled-file.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { onlyMethods } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';
import { withIdempotency, withJsonBody } from '../idempotency/with-idempotency.ts';
import { readCompletion, readNewUpload } from './read-upload.ts';
import { receiveForm } from './receive-form.ts';
import { refuseZeroRetention } from './refuse-zero-retention.ts';
import type { FileRouteDependencies } from './route-dependencies.ts';

const partLimits = {
  files: ['data'],
  maxFiles: 1,
  fileBytes: MAX_PART_BYTES,
  maxFields: 4,
  fieldBytes: 1_024,
  bytes: formBytes(1, MAX_PART_BYTES),
} as const;

/** `/uploads`, for authenticated clients. Source: OpenAI's API document, Uploads. */
export function buildUploadsRouter(deps: FileRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const posted = onlyMethods('POST', 'OPTIONS');
  router.route('/uploads').post(createUpload(deps)).all(posted);
  router.route('/uploads/:id/parts').post(addPart(deps)).all(posted);
  router.route('/uploads/:id/complete').post(completeUpload(deps)).all(posted);
  router.route('/uploads/:id/cancel').post(cancelUpload(deps)).all(posted);
  return router;
}

function createUpload({ fileUploads, idempotency }: FileRouteDependencies): RequestHandler {
  return withJsonBody(idempotency, async (_request, response, body) => {
    const key = keyOf(response);
    refuseZeroRetention(key, 'filename');
    const given = readNewUpload(valueOf(body));
    const upload = await fileUploads.create({ accountId: key.accountId, apiKeyId: key.id, ...given });
    answer(response, uploadObject(upload));
  });
}

function addPart(deps: FileRouteDependencies): RequestHandler {
  return receiveForm(deps, {
    limits: partLimits,
    admit: (_request, response) => refuseZeroRetention(keyOf(response), 'data'),
    answer: async (request, response, { fields: { data } }) => {
      if (!(data instanceof SpooledFile)) throw new SluiceError('missing_required_parameter', { param: 'data' });
      const reach = await deps.access.reachOf(keyOf(response), 'files.write');
      const part = await deps.fileUploads.addPart(reach, String(request.params.id), data.content());
      answer(response, uploadPartObject(part));
    },
  });
}

function completeUpload({ fileUploads, access, idempotency }: FileRouteDependencies): RequestHandler {
  return withJsonBody(idempotency, async (request, response, body) => {
    const completion = readCompletion(valueOf(body));
    const reach = await access.reachOf(keyOf(response), 'files.write');
    const { upload, file } = await fileUploads.complete(reach, String(request.params.id), completion);
    answer(response, uploadObject(upload, file));
  });
}

function cancelUpload({ fileUploads, access, idempotency }: FileRouteDependencies): RequestHandler {
  return withIdempotency(idempotency, async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'files.write');
    answer(response, uploadObject(await fileUploads.cancel(reach, String(request.params.id))));
  });
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
