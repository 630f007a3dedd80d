import express, { type RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { sendError } from './send-error.ts';
import type { GraphqlDependencies } from '../dependencies.ts';

/**
 * Reads a JSON body of at most `limit` bytes. Errors are sent in GraphQL's format. The body is never logged, because it may
 * contain a password.
 */
export function jsonBody(limit: number, discard: GraphqlDependencies['discardBody']): RequestHandler {
  const read = express.json({ limit });
  return (request, response, next) =>
    read(request, response, (fault: unknown) => {
      if (fault === undefined || fault === null) {
        next();
        return;
      }
      const error = toBodyError(fault, limit, request.headers);
      if (error === null) {
        next(fault);
        return;
      }
      discard(request, () => {
        response.set('connection', 'close');
        sendError(response, error);
      });
    });
}

/** Errors of the parser have a `type`. Source: body-parser's documentation, "Errors". */
function toBodyError(
  fault: unknown,
  limit: number,
  headers: { 'content-type'?: string; 'content-encoding'?: string },
): SluiceError | null {
  const type = fault instanceof Error && 'type' in fault ? fault.type : null;
  const { 'content-type': contentType = '', 'content-encoding': encoding = '' } = headers;
  switch (type) {
    case 'entity.too.large':
      return new SluiceError('request_too_large', { values: { limit } });
    case 'charset.unsupported':
      return new SluiceError('unsupported_content_type', {
        values: { contentType: contentType.slice(0, 100), expected: 'application/json' },
      });
    case 'encoding.unsupported':
      return new SluiceError('unsupported_content_encoding', {
        values: { encoding: encoding.slice(0, 100), supported: 'it as gzip, deflate or br, or uncompressed' },
      });
    case 'entity.parse.failed':
    case 'request.size.invalid':
    case 'request.aborted':
      return new SluiceError('invalid_json', { values: { reason: 'it is malformed.' } });
    default:
      return fault instanceof Error && 'status' in fault && fault.status === 400
        ? new SluiceError('invalid_json', { values: { reason: 'it cannot be read.' } })
        : null;
  }
}
