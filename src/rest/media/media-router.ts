import express, { type Request, type Response, type Router } from 'express';
import { pipeline } from 'node:stream';
import { SluiceError } from '../../errors/index.ts';
import type { MediaService } from '../../services/media/media.service.ts';
import { parseRange, resolveRange } from '../files/byte-range.ts';
import { onlyMethods } from '../http/errors.ts';
import { identityOf } from '../headers/request-headers.ts';

/** Types that browsers display without running code. Other types are served as bytes. */
const harmless = /^(?:image\/(?:png|jpeg|webp|gif|avif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+)$/;

/** `GET /media/{id}`: a generated file, by its signed URL. Requires no key. */
export function buildMediaRouter(media: MediaService): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/media/:id')
    // GET handles HEAD too.
    .get((request, response, next) => {
      serve(media, request, response).catch(next);
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

async function serve(media: MediaService, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { id } = request.params;
  const expiresAt = media.checkLink(id, request.query.expires, request.query.signature);
  const range = parseRange(request.headers.range);
  const found = await media.open(id, range === null ? undefined : (size) => resolveRange(range, size));
  if (found === null) throw new SluiceError('not_found', { values: { what: 'file' } });
  const { contentType, size } = found.blob;
  const seconds = media.secondsUntil(expiresAt);
  response.set({
    'content-type': harmless.test(contentType) ? contentType : 'application/octet-stream',
    'cache-control': `private, max-age=${seconds}, immutable`,
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-request-id': identityOf(response).requestId,
  });
  const { first, last, stream } = found;
  if (range !== null && last < first) {
    response
      .status(416)
      .set({ 'content-range': `bytes */${size}`, 'content-length': '0' })
      .end();
    return;
  }
  if (range !== null) response.status(206).set('content-range', `bytes ${first}-${last}/${size}`);
  response.set('content-length', String(last - first + 1));
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  // The connection is closed whether the client or the disk fails.
  pipeline(stream, response, () => undefined);
}
