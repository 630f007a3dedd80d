import { pipeline } from 'node:stream';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { fileObject } from '../../services/files/file-object.ts';
import { downloadHeaders } from '../../services/files/files.service.ts';
import { readListedPurpose } from '../../services/files/new-file.ts';
import { namesOfKeyHeaders } from '../../services/client-request/request-credentials.ts';
import { readListPage } from '../../services/list-page.ts';
import { keyOf } from '../authentication/caller.ts';
import { parseRange, resolveRange } from '../files/byte-range.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { onlyMethods } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';
import { createFile } from './create-file.ts';
import type { FileRouteDependencies } from './route-dependencies.ts';

/** OpenAI's limit and default. */
const MAX_LISTED = 10_000;

/** `/files`, for authenticated clients. Source: OpenAI's API document, Files. */
export function buildFilesRouter(deps: FileRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const all = onlyMethods('GET', 'HEAD', 'POST', 'OPTIONS');
  const one = onlyMethods('GET', 'HEAD', 'DELETE', 'OPTIONS');
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  router.route('/files').get(listFiles(deps)).post(createFile(deps)).all(all);
  router.route('/files/:id').get(retrieveFile(deps)).delete(deleteFile(deps)).all(one);
  router.route('/files/:id/content').get(fileContent(deps)).all(reading);
  return router;
}

function listFiles({ files, access }: FileRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'files.read');
    const page = readListPage(request.query, { max: MAX_LISTED, default: MAX_LISTED });
    const { rows, hasMore } = await files.list(reach, page, readListedPurpose(request.query.purpose));
    const data = rows.map(fileObject);
    // The reference requires strings even for an empty page.
    const [first, last] = [data[0]?.id ?? '', data.at(-1)?.id ?? ''];
    answer(response, { object: 'list', data, first_id: first, last_id: last, has_more: hasMore });
  };
}

function retrieveFile({ files, access }: FileRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'files.read');
    answer(response, fileObject(await files.get(reach, String(request.params.id))));
  };
}

function deleteFile({ files, access }: FileRouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params.id);
    await files.remove(await access.reachOf(keyOf(response), 'files.write'), id);
    answer(response, { id, object: 'file', deleted: true });
  };
}

function fileContent({ files, access }: FileRouteDependencies): RequestHandler {
  return async (request, response) => {
    const reach = await access.reachOf(keyOf(response), 'files.read');
    const range = parseRange(request.headers.range);
    const part = range === null ? undefined : (size: number) => resolveRange(range, size);
    const id = String(request.params.id);
    const link = range === null && mayRedirect(request) ? await files.linkTo(reach, id) : null;
    if (link !== null) {
      redirect(response, link);
      return;
    }
    const { file, first, last, stream } = await files.open(reach, id, part);
    const { contentType, contentDisposition } = downloadHeaders(file.filename);
    setStandardHeaders(response);
    response.set({
      'content-type': contentType,
      'content-disposition': contentDisposition,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    });
    if (range !== null && last < first) {
      stream.destroy();
      response
        .status(416)
        .set({ 'content-range': `bytes */${file.bytes}`, 'content-length': '0' })
        .end();
      return;
    }
    if (range !== null) response.status(206).set('content-range', `bytes ${first}-${last}/${file.bytes}`);
    response.set('content-length', String(last - first + 1));
    if (request.method === 'HEAD') {
      stream.destroy();
      response.end();
      return;
    }
    // The connection is closed whether the client or the disk fails.
    pipeline(stream, response, () => undefined);
  };
}

/** Clients send `authorization` to no other host, but the other headers with a key to where a redirect leads. */
function mayRedirect({ method, headers }: Request): boolean {
  return method === 'GET' && namesOfKeyHeaders(headers).every((name) => name === 'authorization');
}

/** Whoever has the link can read the file: it is not cached, and no page that it leads to learns of it. */
function redirect(response: Response, location: string): void {
  setStandardHeaders(response);
  response
    .status(302)
    .set({ location, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer', 'content-length': '0' })
    .end();
}

function answer(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
