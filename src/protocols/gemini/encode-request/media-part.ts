import { SluiceError } from '../../../errors/index.ts';
import type { UserPart } from '../../canonical/generation-request.ts';

/** By file extension. Source: ai.google.dev, "File input methods", and the pages on images, audio, video and documents. */
const typeByExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  gif: 'image/gif',
  bmp: 'image/bmp',
  avif: 'image/avif',
  pdf: 'application/pdf',
  json: 'application/json',
  xml: 'text/xml',
  txt: 'text/plain',
  md: 'text/md',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  rtf: 'text/rtf',
  js: 'text/javascript',
  py: 'text/x-python',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  aac: 'audio/aac',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aiff: 'audio/aiff',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpg',
  mov: 'video/mov',
  avi: 'video/avi',
  webm: 'video/webm',
  wmv: 'video/wmv',
  flv: 'video/x-flv',
  '3gp': 'video/3gpp',
};

const fileApi = 'https://generativelanguage.googleapis.com/v1beta/';

/** Google's part with media, or with their address. */
export type MediaPart =
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly mimeType?: string | undefined; readonly fileUri: string } };

/**
 * Encodes a part of a user's message that is not text.
 * @param param the path of the part, for errors
 * @throws SluiceError invalid_value
 */
export function mediaPart(part: Exclude<UserPart, { readonly type: 'text' }>, param: string): MediaPart {
  if (part.type === 'image_url') return fromUrl(part.image_url.url, undefined, `${param}.image_url.url`);
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio;
    return { inlineData: { mimeType: `audio/${format}`, data } };
  }
  const { file_data: data, file_id: id, filename } = part.file;
  const named = filename ? typeByName(filename) : undefined;
  if (id) return { fileData: { mimeType: named, fileUri: id.startsWith('files/') ? fileApi + id : id } };
  if (!data) throw refusal(`${param}.file`, 'it must have file_data or file_id.');
  if (/^(?:data|https?):/i.test(data)) return fromUrl(data, named, `${param}.file.file_data`);
  if (named === undefined)
    throw refusal(
      `${param}.file.file_data`,
      'without a data: URL, the filename must have an extension that names the type.',
    );
  return { inlineData: { mimeType: named, data } };
}

/** More than any valid URL has: a type, a few parameters, and `base64`. */
const MAX_DATA_URL_PARTS = 16;

/**
 * The media of a data: URL; null for another URL.
 * @throws SluiceError invalid_value for a malformed data: URL
 */
export function inlineData(url: string, param: string): Extract<MediaPart, { readonly inlineData: unknown }> | null {
  if (!/^data:/i.test(url)) return null;
  const comma = url.indexOf(',');
  if (comma < 0) throw refusal(param, 'it is not a `data:` URL.');
  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';', MAX_DATA_URL_PARTS);
  const body = url.slice(comma + 1);
  const mimeType = type.trim().toLowerCase() || 'text/plain';
  if (parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64'))
    return { inlineData: { mimeType, data: body } };
  return { inlineData: { mimeType, data: Buffer.from(unescaped(body, param)).toString('base64') } };
}

/** Google fetches public URLs. Their type is sent if the path has a known extension. */
function fromUrl(url: string, named: string | undefined, param: string): MediaPart {
  return inlineData(url, param) ?? { fileData: { mimeType: named ?? typeByName(pathOf(url)), fileUri: url } };
}

function typeByName(name: string): string | undefined {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(typeByExtension, ending) ? typeByExtension[ending] : undefined;
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? '';
}

function unescaped(body: string, param: string): string {
  try {
    return decodeURIComponent(body);
  } catch {
    throw refusal(param, 'it is not a `data:` URL.');
  }
}

function refusal(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
