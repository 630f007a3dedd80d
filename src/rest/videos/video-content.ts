import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { videoVariants, type VideoContent, type VideoVariant } from '../../gateway/capabilities/video/video.ts';
import { mediaGcPressure } from '../../gateway/metrics/gc-pressure.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { keyOf } from '../authentication/caller.ts';
import { parseRange } from '../files/byte-range.ts';
import type { VideoRouteDependencies } from './create-video.ts';
import { partOf } from './partial-content.ts';

/**
 * `GET /videos/{id}/content`: streams the bytes of the provider with back-pressure, without storing them. If the provider fails,
 * the connection is closed, so that the client can detect incomplete content.
 */
export function videoContent({ videos, access }: VideoRouteDependencies): RequestHandler {
  return async (request, response) => {
    const variant = readVariant(request.query.variant);
    const wanted = parseRange(request.headers.range);
    const ifRange = request.get('if-range');
    const part = wanted === null ? {} : { range: `bytes=${wanted.first ?? ''}-${wanted.last ?? ''}`, ifRange };
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const reach = await access.reachOf(keyOf(response), 'videos.read');
    const found = await videos.content(reach, String(request.params.id), variant, part, leaving.signal);
    const content = partOf(found.content, wanted, ifRange);
    if (response.destroyed) {
      content.body.destroy();
      return;
    }
    setStandardHeaders(response);
    response
      .setHeader('x-sluice-provider', found.video.provider)
      .setHeader('x-sluice-model', encodeURI(found.video.model));
    await send(response, content, request.method === 'HEAD');
  };
}

async function send(response: Response, { status, headers, body }: VideoContent, headOnly: boolean): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('accept-ranges', 'bytes');
  // Content of providers must not be sniffed or executed.
  response
    .setHeader('x-content-type-options', 'nosniff')
    .setHeader('content-security-policy', "default-src 'none'; sandbox");
  if (headOnly || status === 416) {
    body.on('error', () => undefined).destroy();
    // The provider's body of a 416 is not relayed.
    if (status === 416) {
      response.removeHeader('content-type');
      response.setHeader('content-length', '0');
    }
    response.end();
    return;
  }
  try {
    await pipeline(body, passing, response);
  } catch {
    response.destroy();
  }
}

/** @throws SluiceError invalid_value */
function readVariant(given: unknown): VideoVariant {
  if (given === undefined) return 'video';
  const variant = videoVariants.find((each) => each === given);
  if (variant !== undefined) return variant;
  const known = videoVariants.map((each) => `'${each}'`).join(', ');
  throw new SluiceError('invalid_value', { param: 'variant', values: { reason: `it must be one of ${known}.` } });
}

async function* passing(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const bytes of source) {
    yield bytes;
    mediaGcPressure.add(bytes.length);
  }
}
