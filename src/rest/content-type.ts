import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../errors/index.ts';

/** A longer one is cut in an error's text. */
const longestShown = 100;

/**
 * Holds a body to JSON in UTF-8.
 * @throws SluiceError unsupported_content_type
 */
export function requireJson(request: IncomingMessage): void {
  const { 'content-type': contentType = '' } = request.headers;
  if (contentType !== 'application/json' && !isJson(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, longestShown), expected: 'application/json' },
    });
}

/**
 * Holds a body to a form, uncompressed.
 * @throws SluiceError unsupported_content_type | unsupported_content_encoding
 */
export function requireForm(request: IncomingMessage): void {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.headers;
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, longestShown), expected: 'multipart/form-data' },
    });
  requireUncompressed(encoding);
}

function requireUncompressed(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new SluiceError('unsupported_content_encoding', {
      values: { encoding: encoding.slice(0, longestShown), supported: 'it uncompressed: files are compressed already' },
    });
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!/^application\/(json|[\w.+-]+\+json)$/.test(type.trim())) return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset);
}
