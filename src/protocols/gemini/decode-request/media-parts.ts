import { textIn, type JsonObject } from '../../canonical/json-members.ts';

const audioFormats: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
};
/** Where files are that were uploaded to Google, and objects of Cloud Storage. */
const GOOGLE_APIS = /(?:^|\.)googleapis\.com\.?$/;

/** Media within a request, by its type. Source: ai.google.dev/api/caching, Blob. */
export function inlinePart(blob: JsonObject): JsonObject {
  const type = textIn(blob, 'mimeType');
  const data = textIn(blob, 'data');
  const url = `data:${type};base64,${data}`;
  const format = audioFormats[type];
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } };
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { file_data: url, filename: textIn(blob, 'displayName') || 'file' } };
}

/** Media on the web; null for what only Google can read. Source: ai.google.dev/api/caching, FileData. */
export function filePart(file: JsonObject): JsonObject | null {
  const url = textIn(file, 'fileUri');
  if (isStoredFile(url)) return null;
  if (textIn(file, 'mimeType').startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const name = textIn(file, 'displayName');
  return { type: 'file', file: { file_data: url, ...(name !== '' && { filename: name }) } };
}

/** Whether an address is of an object at Google, and not of a page that anyone can read: `gs:`, `files/abc`, an upload's. */
export function isStoredFile(address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? { protocol: '', hostname: '' };
  if (protocol === 'data:') return false;
  return (protocol !== 'https:' && protocol !== 'http:') || GOOGLE_APIS.test(hostname);
}
