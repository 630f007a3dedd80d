import { SluiceError } from '../../../errors/index.ts';
import type { UserPart } from '../../canonical/generation-request.ts';
import { cacheMark, textBlock, type Block } from './content-blocks.ts';

/** Source: platform.claude.com/docs/en/build-with-claude/vision. */
const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const pdf = 'application/pdf';

/** The base64 of `%PDF-`. */
const pdfBeginning = 'JVBERi0';

/** Text types without the prefix `text/`. */
const textTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
]);

/**
 * Encodes a part of a user's message; no block for blank text.
 * @param param the path of the part, for errors
 * @throws SluiceError invalid_value | unsupported_value
 */
export function userBlocks(part: UserPart, param: string): Block[] {
  const mark = cacheMark(part);
  if (part.type === 'text') return textBlock(part.text, mark);
  if (part.type === 'image_url') {
    const { url } = part.image_url;
    return [{ type: 'image', source: imageSource(url, `${param}.image_url.url`), ...mark }];
  }
  if (part.type === 'input_audio') throw unsupported(`${param}.input_audio`, 'Claude does not accept audio.');
  return [{ ...fileBlock(part.file, `${param}.file`), ...mark }];
}

function imageSource(url: string, param: string): Block {
  if (!isDataUrl(url)) return { type: 'url', url };
  const { mediaType, data } = dataOf(url, param);
  const type = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
  if (!imageTypes.has(type)) throw unsupported(param, 'Claude accepts images as JPEG, PNG, GIF or WebP.');
  return { type: 'base64', media_type: type, data };
}

function fileBlock(file: Extract<UserPart, { readonly type: 'file' }>['file'], param: string): Block {
  const { file_data: fileData, file_id: fileId, filename } = file;
  const title = filename ? { title: filename } : {};
  if (fileData) return { ...fileDataBlock(fileData, `${param}.file_data`), ...title };
  if (fileId) return { type: 'document', source: { type: 'file', file_id: fileId }, ...title };
  throw new SluiceError('invalid_value', { param, values: { reason: 'it needs file_data or file_id.' } });
}

function fileDataBlock(fileData: string, param: string): Block {
  if (/^https?:/i.test(fileData)) return { type: 'document', source: { type: 'url', url: fileData } };
  if (fileData.startsWith(pdfBeginning)) return pdfBlock(fileData);
  const { mediaType, data } = dataOf(fileData, param);
  if (mediaType === pdf) return pdfBlock(data);
  if (mediaType.startsWith('text/') || textTypes.has(mediaType))
    return {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString() },
    };
  throw unsupported(param, 'Claude accepts PDF and text files.');
}

function pdfBlock(data: string): Block {
  return { type: 'document', source: { type: 'base64', media_type: pdf, data } };
}

function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === 'data:';
}

/** The media type in lower case without parameters, and the base64 data. Source: RFC 2397. */
function dataOf(url: string, param: string): { readonly mediaType: string; readonly data: string } {
  const comma = url.indexOf(',');
  const head = isDataUrl(url) && comma >= 0 ? url.slice(5, comma).toLowerCase() : '';
  if (!head.endsWith(';base64'))
    throw new SluiceError('invalid_value', { param, values: { reason: 'it must be a data: URL in base64.' } });
  const [mediaType = ''] = head.split(';', 1);
  return { mediaType, data: url.slice(comma + 1) };
}

function unsupported(param: string, why: string): SluiceError {
  return new SluiceError('unsupported_value', { param, values: { reason: `is not supported: ${why}` } });
}
