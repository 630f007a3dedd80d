import { hash } from 'node:crypto';
import { unixSeconds } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { CallContext, Send, UpstreamReceiver } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import type { InputImage, ImagesRequest } from '../../shared/media/images-request.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { decodePng, encodePng, type Bitmap } from '../../shared/media/png.ts';
import { requireModel } from '../models.ts';
import { countTokens } from '../text/tokens.ts';
import { blend, drawImage, scaled, unfinished } from './canvas.ts';
import { encodeJpeg } from './jpeg.ts';
import { encodeWebp } from './webp.ts';

export const SANDBOX_IMAGE_MODEL = 'image';

const DEFAULT_SIZE = 1_024;
const MAX_SIDE_PIXELS = 1_792;
const DEFAULT_JPEG_QUALITY = 90;
/** Pixels per image token. */
const PIXELS_PER_TOKEN = 1_024;
/** Sides of the squares of the partial images, from the first one on, in pixels. */
const COARSE_SQUARES = [64, 32, 16];
const OPAQUE = 128;

/** Supported members; some of them have no effect. */
const supportedParams: ReadonlySet<string> = new Set(
  (
    'kind images mask model prompt n size background stream partial_images output_format output_compression ' +
    'quality style moderation input_fidelity user safety_identifier response_format'
  ).split(' '),
);

type Format = 'png' | 'jpeg' | 'webp';

interface Order {
  readonly seed: string;
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly format: Format;
  readonly jpegQuality: number;
  readonly transparent: boolean;
}

/**
 * Generated images: the same prompt gives the same one. Real files of the requested size and format; an edit changes
 * what the mask leaves open, or blends over the whole; a variation blends over its image.
 */
export const sandboxImages: Send<ImagesRequest> = (context, receiver) => {
  const { request, model, parameters } = context;
  requireModel(model, SANDBOX_IMAGE_MODEL);
  const unsupported = Object.keys(request).filter((name) => !supportedParams.has(name) && request[name] != null);
  const dropped = refuseOrDrop('sandbox', unsupported, parameters);
  const order = orderOf(request);
  if (context.stream) stream(context, order, receiver);
  else
    answerPromise(receiver, async (signal) => {
      const bitmaps = await paint(request, order, signal);
      const data = [];
      for (const bitmap of bitmaps) data.push({ b64_json: await encoded(bitmap, order) });
      const answer = { created: unixSeconds(), data, ...imageEvent(order, bitmaps[0]), usage: usage(request, bitmaps) };
      return { contentType: 'application/json', body: JSON.stringify(answer) };
    });
  return dropped;
};

function stream({ request }: CallContext<ImagesRequest>, order: Order, receiver: UpstreamReceiver): void {
  const controller = new AbortController();
  const { signal } = controller;
  receiver.onConnecting({ pause: () => undefined, resume: () => undefined, abort: () => controller.abort() });
  receiver.onSent?.();
  const send = (event: Readonly<Record<string, unknown>>): void => {
    signal.throwIfAborted();
    receiver.onData(Buffer.from(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`));
  };
  const run = async (): Promise<void> => {
    const name = request.kind === 'generation' ? 'image_generation' : 'image_edit';
    const bitmaps = await paint(request, order, signal);
    signal.throwIfAborted();
    receiver.onHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const bitmap of bitmaps) {
      const common = { created_at: unixSeconds(), ...imageEvent(order, bitmap) };
      for (const [index, square] of COARSE_SQUARES.slice(0, request.partial_images ?? 0).entries()) {
        const b64_json = await encoded(await unfinished(bitmap, square), order);
        send({ type: `${name}.partial_image`, b64_json, ...common, partial_image_index: index });
      }
      const b64_json = await encoded(bitmap, order);
      send({ type: `${name}.completed`, b64_json, ...common, usage: usage(request, [bitmap]) });
    }
    receiver.onEnd();
  };
  void run().catch((error: unknown) => {
    if (!signal.aborted) receiver.onFailure(toSluiceError(error));
  });
}

/** @throws SluiceError unsupported_value */
function orderOf(request: ImagesRequest): Order {
  const { prompt = '', output_format: format, output_compression: compression, background, size } = request;
  if (format != null && format !== 'png' && format !== 'jpeg' && format !== 'webp')
    throw unsupported('output_format', "must be 'png', 'jpeg' or 'webp' here.");
  const [width = 0, height = 0] = (size ?? 'auto') === 'auto' ? [] : (size ?? '').split('x').map(Number);
  if (Math.max(width, height) > MAX_SIDE_PIXELS)
    throw unsupported('size', `is at most ${MAX_SIDE_PIXELS} pixels a side here.`);
  return {
    seed: prompt,
    size: width === 0 ? null : { width, height },
    format: format ?? 'png',
    jpegQuality: compression ?? DEFAULT_JPEG_QUALITY,
    transparent: background === 'transparent',
  };
}

async function paint(request: ImagesRequest, order: Order, signal: AbortSignal): Promise<Bitmap[]> {
  const [image] = request.images;
  const input = image === undefined ? null : await pixelsOf(image, 'image');
  const mask = request.mask === undefined ? null : await pixelsOf(request.mask, 'mask');
  const bitmaps: Bitmap[] = [];
  for (let index = 0; index < (request.n ?? 1); index++) {
    signal.throwIfAborted();
    bitmaps.push(await one(order, index, input, mask));
  }
  return bitmaps;
}

async function one(order: Order, index: number, input: Bitmap | null, mask: Bitmap | null): Promise<Bitmap> {
  const size = order.size ?? (input ? bounded(input) : { width: DEFAULT_SIZE, height: DEFAULT_SIZE });
  const { width, height } = size;
  const inputHash = input && hash('sha256', input.pixels);
  const seed = JSON.stringify([order.seed, index, inputHash]);
  const bitmap = await drawImage({ ...size, seed, transparent: input === null ? order.transparent : mask === null });
  if (input === null) return bitmap;
  const original = await scaled(input, width, height);
  if (mask === null) return blend(original, bitmap, (at) => (bitmap.pixels[at + 3] ?? 0) > 0);
  const open = await scaled(mask, width, height);
  return blend(original, bitmap, (at) => (open.pixels[at + 3] ?? 0) < OPAQUE);
}

function bounded({ width, height }: Bitmap): { readonly width: number; readonly height: number } {
  const share = Math.min(1, MAX_SIDE_PIXELS / Math.max(width, height));
  return { width: Math.max(1, Math.floor(width * share)), height: Math.max(1, Math.floor(height * share)) };
}

/** @throws SluiceError unsupported_value */
async function pixelsOf(image: InputImage, param: string): Promise<Bitmap> {
  const bytes = 'url' in image ? inline(image.url, param) : await image.read();
  const bitmap = await decodePng(bytes);
  if (bitmap === null)
    throw unsupported(param, 'must be a PNG with 8 bits per sample and without interlacing, for the sandbox.');
  return bitmap;
}

function inline(url: string, param: string): Buffer {
  const comma = url.indexOf(',');
  if (!url.startsWith('data:') || comma < 0)
    throw unsupported(param, 'must be a data: URL: the sandbox fetches nothing.');
  return Buffer.from(url.slice(comma + 1), 'base64');
}

async function encoded(bitmap: Bitmap, { format, jpegQuality }: Order): Promise<string> {
  const encode = { png: encodePng, webp: encodeWebp, jpeg: (drawn: Bitmap) => encodeJpeg(drawn, jpegQuality) }[format];
  return (await encode(bitmap)).toString('base64');
}

function imageEvent({ format, transparent }: Order, bitmap: Bitmap | undefined): Record<string, unknown> {
  return {
    background: transparent ? 'transparent' : 'opaque',
    output_format: format,
    quality: 'low',
    ...(bitmap && { size: `${bitmap.width}x${bitmap.height}` }),
  };
}

function usage({ prompt = '', images }: ImagesRequest, bitmaps: readonly Bitmap[]): Record<string, unknown> {
  const text = countTokens(prompt);
  const output = bitmaps.reduce((sum, { width, height }) => sum + Math.ceil((width * height) / PIXELS_PER_TOKEN), 0);
  const imageTokens = images.length * PIXELS_PER_TOKEN;
  return {
    input_tokens: text + imageTokens,
    output_tokens: output,
    total_tokens: text + imageTokens + output,
    input_tokens_details: { text_tokens: text, image_tokens: imageTokens },
  };
}

function unsupported(param: string, reason: string): SluiceError {
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
