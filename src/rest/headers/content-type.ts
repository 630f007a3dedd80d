import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';

/** Longer content types are truncated in error messages. */
const MAX_SHOWN_LENGTH = 100;

/**
 * Requires a JSON body in UTF-8.
 * @throws SluiceError unsupported_content_type
 */
export function requireJson(request: IncomingMessage): void {
  const { 'content-type': contentType = '' } = request.headers;
  if (contentType !== 'application/json' && !isJson(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, MAX_SHOWN_LENGTH), expected: 'application/json' },
    });
}

/**
 * Requires an uncompressed multipart form.
 * @throws SluiceError unsupported_content_type | unsupported_content_encoding
 */
export function requireForm(request: IncomingMessage): void {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = request.headers;
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType))
    throw new SluiceError('unsupported_content_type', {
      values: { contentType: contentType.slice(0, MAX_SHOWN_LENGTH), expected: 'multipart/form-data' },
    });
  requireUncompressed(encoding);
}

function requireUncompressed(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new SluiceError('unsupported_content_encoding', {
      values: {
        encoding: encoding.slice(0, MAX_SHOWN_LENGTH),
        supported: 'it uncompressed, because files are already compressed',
      },
    });
}

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!/^application\/(json|[\w.+-]+\+json)$/.test(type.trim())) return false;
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset);
}
