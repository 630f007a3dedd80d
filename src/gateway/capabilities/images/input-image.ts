import { SluiceError } from '../../../errors/index.ts';
import type { InputImage } from '../../../providers/shared/media/images-request.ts';
import { ImageFile } from '../../media/image-file.ts';
import { IMAGE_HEAD_BYTES, readImageInfo, type ImageInfo } from '../../media/image-size.ts';
import { toError, within, wrongType } from '../../../protocols/canonical/validation/fault.ts';

/** Base64 encodes three bytes in four characters. */
const HEAD_CHARACTERS = Math.ceil(IMAGE_HEAD_BYTES / 3) * 4;
/** Its head is bounded: unbounded repetition could exhaust the stack. */
const DATA_URL = /^data:([a-z0-9.+-]{1,100}\/[a-z0-9.+-]{1,100})?(?:;[a-z0-9=.+-]{1,100}){0,10}?;base64,/i;
const WEB_URL = /^https?:\/\/[^\s]+$/i;

/** A supplied image and its properties; null for a web URL, whose image is not read. */
export interface InspectedImage {
  readonly image: InputImage;
  readonly info: ImageInfo | null;
}

/** @throws SluiceError invalid_type | invalid_value, naming the field */
export function uploaded(value: unknown, param: string): InspectedImage {
  if (!(value instanceof ImageFile)) throw toError(within(param, wrongType('a file', value)));
  if (value.size === 0) throw invalid(param, 'the file is empty.');
  return { image: value, info: supported(value.info, param) };
}

/** @throws SluiceError invalid_value | unsupported_value | missing_required_parameter */
export function referenced(
  { image_url: url, file_id: fileId }: { readonly image_url?: string; readonly file_id?: string },
  param: string,
): InspectedImage {
  if (url === undefined) {
    if (fileId === undefined) throw new SluiceError('missing_required_parameter', { param: `${param}.image_url` });
    throw new SluiceError('unsupported_value', {
      param: `${param}.file_id`,
      values: { reason: 'is not supported. Send `image_url`, or a form.' },
    });
  }
  if (fileId !== undefined) throw invalid(param, 'it must have either `image_url` or `file_id`.');
  if (WEB_URL.test(url) && URL.canParse(url)) return { image: { url }, info: null };
  const [start] = DATA_URL.exec(url) ?? [];
  if (start === undefined) throw invalid(`${param}.image_url`, 'it must be an https: URL, or a data: URL in base64.');
  const head = Buffer.from(url.slice(start.length, start.length + HEAD_CHARACTERS), 'base64');
  const info = supported(readImageInfo(head), `${param}.image_url`);
  return { image: { url: `data:image/${info.format};base64,${url.slice(start.length)}` }, info };
}

/** A mask marks the pixels of the first image that may change. @throws SluiceError invalid_value, naming both sizes */
export function requireSameSize(image: InspectedImage | undefined, mask: InspectedImage | undefined): void {
  if (!image?.info || !mask?.info) return;
  const [imageSize, maskSize] = [sizeOf(image.info), sizeOf(mask.info)];
  if (imageSize !== maskSize)
    throw invalid('mask', `it has ${maskSize} pixels, but the first image has ${imageSize}. Both must be equal.`);
}

export function sizeOf({ width, height }: ImageInfo): string {
  return `${width}x${height}`;
}

function supported(info: ImageInfo | null, param: string): ImageInfo {
  if (info === null || info.format === 'gif') throw invalid(param, 'it is not a PNG, JPEG or WebP image.');
  return info;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
