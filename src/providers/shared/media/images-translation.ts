import { unixSeconds } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { CompleteAnswer } from '../http/answer-promise.ts';
import { eachPart } from '../http/concurrent-parts.ts';
import type { InputImage, ImagesRequest } from './images-request.ts';
import { decodePng, encodePng } from './png.ts';
import { yieldPeriodically } from '../jobs/yield-periodically.ts';

/** Handled by the gateway, or converted by each provider's translation. */
const served: ReadonlySet<string> = new Set(
  'kind model prompt images mask n stream partial_images response_format user'.split(' '),
);

/** Values that are equivalent to omitting the parameter. */
const neutral: Readonly<Record<string, readonly unknown[]>> = {
  size: ['auto'],
  quality: ['auto', 'standard'],
  background: ['auto', 'opaque'],
  moderation: ['auto'],
};

/** Maximum deviation from the requested aspect ratio. */
const RATIO_TOLERANCE = 0.02;
const OPAQUE = 128;

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** The parameters with a non-default value that a provider does not support. */
export function unsupportedImageParameters(request: ImagesRequest, supported: readonly string[]): string[] {
  return Object.keys(request).filter((name) => {
    const value = request[name];
    if (value === null || value === undefined || served.has(name) || supported.includes(name)) return false;
    return neutral[name]?.includes(value) !== true;
  });
}

/** @throws SluiceError capability_not_supported */
export function requireKind(
  provider: string,
  { kind }: ImagesRequest,
  ...kinds: readonly ImagesRequest['kind'][]
): void {
  if (kinds.includes(kind)) return;
  const capability = { generation: 'image generation', edit: 'image edits', variation: 'image variations' }[kind];
  throw new SluiceError('capability_not_supported', { values: { provider, capability } });
}

/** Dropping the mask would change the edit: it is rejected under any policy. @throws SluiceError unsupported_parameter */
export function rejectMask(provider: string, { mask }: ImagesRequest): void {
  if (mask !== undefined) throw new SluiceError('unsupported_parameter', { param: 'mask', values: { provider } });
}

/** @throws SluiceError array_above_max_length */
export function requireImageCount({ images }: ImagesRequest, max: number): void {
  if (images.length > max) throw new SluiceError('array_above_max_length', { param: 'image', values: { limit: max } });
}

/** Null if the model chooses it. */
export function requestedSize({ size }: ImagesRequest): PixelSize | null {
  const [width, height] = (size ?? 'auto') === 'auto' ? [] : (size ?? '').split('x').map(Number);
  return width === undefined || height === undefined ? null : { width, height };
}

/** The aspect ratio (`16:9`) of a provider that matches a size; null if none does. */
export function ratioOf(size: PixelSize | null, ratios: readonly string[]): string | null {
  if (size === null) return null;
  const off = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log((size.width * down) / (size.height * across)));
  };
  const nearest = ratios.reduce((best, ratio) => (off(ratio) < off(best) ? ratio : best));
  return off(nearest) <= RATIO_TOLERANCE ? nearest : null;
}

export interface ImageBytes {
  readonly mediaType: string;
  readonly base64: string;
}

/** The bytes of an image; null for an `https:` URL. */
export async function bytesOf(image: InputImage): Promise<ImageBytes | null> {
  if (!('url' in image)) return { mediaType: image.contentType, base64: (await image.read()).toString('base64') };
  const [, mediaType, base64] = /^data:([^;,]+);base64,([^]*)$/.exec(image.url) ?? [];
  return mediaType === undefined || base64 === undefined ? null : { mediaType, base64 };
}

/** @throws SluiceError unsupported_value for an `https:` URL, which the provider does not fetch */
export async function requireBytes(provider: string, image: InputImage, param = 'image'): Promise<ImageBytes> {
  const bytes = await bytesOf(image);
  if (bytes !== null) return bytes;
  throw new SluiceError('unsupported_value', {
    param,
    values: { reason: `must be a file or a data: URL. Provider ${provider} fetches no URLs.` },
  });
}

/** As a URL: its own, or a `data:` URL. */
export async function urlOf(image: InputImage): Promise<string> {
  const bytes = await bytesOf(image);
  if (bytes !== null) return `data:${bytes.mediaType};base64,${bytes.base64}`;
  return 'url' in image ? image.url : '';
}

/**
 * Converts OpenAI's mask, transparent where the image may change, to an opaque mask that is white or black there.
 * @throws SluiceError unsupported_value for a file that is not a supported PNG
 */
export async function opaqueMask(provider: string, mask: InputImage, changes: 'white' | 'black'): Promise<ImageBytes> {
  const { base64 } = await requireBytes(provider, mask, 'mask');
  const bitmap = await decodePng(Buffer.from(base64, 'base64'));
  if (bitmap === null)
    throw new SluiceError('unsupported_value', {
      param: 'mask',
      values: { reason: 'must be a PNG with 8 bits per sample and without interlacing for this provider.' },
    });
  const pixels = Buffer.alloc(bitmap.pixels.length, 255);
  const turn = yieldPeriodically();
  for (let at = 0; at < pixels.length; at += 4) {
    if (at % (bitmap.width * 4) === 0) await turn();
    const open = (bitmap.pixels[at + 3] ?? 0) < OPAQUE;
    if (open !== (changes === 'white')) pixels[at] = pixels[at + 1] = pixels[at + 2] = 0;
  }
  return { mediaType: 'image/png', base64: (await encodePng({ ...bitmap, pixels })).toString('base64') };
}

/** Requests `n` images in calls of at most `maxPerCall`. Fails with the first failure. */
export async function inCalls<Result>(
  n: number,
  maxPerCall: number,
  signal: AbortSignal,
  call: (count: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const counts: number[] = [];
  for (let remaining = n; remaining > 0; remaining -= maxPerCall) counts.push(Math.min(remaining, maxPerCall));
  return eachPart(counts, signal, call);
}

export interface ImageTokenCounts {
  readonly input: number;
  readonly output: number;
  readonly imageInput: number;
  /** Part of `output`; null if it is not reported. */
  readonly imageOutput: number | null;
}

/** OpenAI's response. @throws SluiceError provider_error if there are no images */
export function imagesAnswer(
  provider: string,
  images: readonly (string | { readonly b64_json: string; readonly revised_prompt?: string })[],
  tokens: readonly (ImageTokenCounts | null)[] = [],
): CompleteAnswer {
  if (images.length === 0) throw noImageError(provider);
  const data = images.map((image) => (typeof image === 'string' ? { b64_json: image } : image));
  const usage = usageOf(tokens.filter((counts) => counts !== null));
  const body = { created: unixSeconds(), data, ...(usage && { usage }) };
  return { contentType: 'application/json', body: JSON.stringify(body) };
}

/** The provider's filter removed every image: a retry would fail, too. */
export function noImageError(provider: string): SluiceError {
  return new SluiceError('provider_error', {
    upstream: {
      status: 400,
      message: `Provider ${provider} generated no image. Its content filter may have rejected the prompt.`,
      type: 'image_generation_user_error',
      code: 'moderation_blocked',
    },
  });
}

function usageOf(counts: readonly ImageTokenCounts[]): object | null {
  if (counts.length === 0) return null;
  const sum = (value: (one: ImageTokenCounts) => number): number =>
    counts.reduce((total, one) => total + value(one), 0);
  const [input, output] = [sum((one) => one.input), sum((one) => one.output)];
  const [imageInput, imageOutput] = [sum((one) => one.imageInput), sum((one) => one.imageOutput ?? one.output)];
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input - imageInput, image_tokens: imageInput },
    output_tokens_details: { text_tokens: output - imageOutput, image_tokens: imageOutput },
  };
}
