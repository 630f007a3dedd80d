import { pipeline } from 'node:stream';
import express, { type Request, type Response, type Router } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { KeptMedia, MediaService } from '../../services/media/media.service.ts';
import { onlyMethods } from '../errors.ts';
import { identityOf } from '../request-identity.ts';

/** Only what browsers show or play without running anything of it goes out under its own type. */
const harmless = /^(?:image\/(?:png|jpeg|webp|gif|avif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+)$/;
/** One range; more of them are answered with the whole, as the standard allows. */
const rangeForm = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** `GET /media/{id}`: what was made, by its signed link. Needs no key, and lists nothing. Source: RFC 9110, 14. */
export function buildMediaRouter(media: MediaService): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/media/:id')
    // GET answers HEAD too.
    .get((request, response, next) => {
      serve(media, request, response).catch(next);
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

async function serve(media: MediaService, request: Request<{ id: string }>, response: Response): Promise<void> {
  const { id } = request.params;
  const expiresAt = media.checkLink(id, request.query.expires, request.query.signature);
  const whole = await media.open(id);
  if (whole === null) throw new SluiceError('not_found', { values: { what: 'file' } });
  const { contentType, size } = whole.blob;
  const range = askedRange(request, size);
  const kept = range === null ? whole : await reopened(media, id, range, whole);
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1_000));
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
  if (kept === null) {
    response
      .status(416)
      .set({ 'content-range': `bytes */${size}`, 'content-length': '0' })
      .end();
    return;
  }
  const { first, last, stream } = kept;
  if (range !== null) response.status(206).set('content-range', `bytes ${first}-${last}/${size}`);
  response.set('content-length', String(last - first + 1));
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  // What breaks here is the reader's connection, or the disk: either way the connection is closed.
  pipeline(stream, response, () => undefined);
}

interface Range {
  readonly first: number;
  readonly last?: number;
}

/** Null where the whole is asked for, or what is none of our ranges. */
function askedRange(request: Request, size: number): Range | null {
  const [, first, last] = rangeForm.exec(request.headers.range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return { first: last === '0' ? size : Math.max(0, size - Number(last)) };
  if (last !== '' && Number(last) < Number(first)) return null;
  return { first: Number(first), ...(last !== '' && { last: Number(last) }) };
}

/** Null where the range begins behind the end. */
async function reopened(media: MediaService, id: string, range: Range, whole: KeptMedia): Promise<KeptMedia | null> {
  whole.stream.destroy();
  try {
    return await media.open(id, range);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
