import { SluiceError } from '../../errors/index.ts';
import { readResponseId } from './response-id.ts';

/** @throws SluiceError not_found */
export function responseIdOf(publicId: string): string {
  return readResponseId(publicId) ?? noResponse();
}

/** Another account's response is not found. */
export function noResponse(): never {
  throw new SluiceError('not_found', { values: { what: 'response' } });
}
