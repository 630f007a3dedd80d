import { databaseErrorCode } from '../database/connection-failure.ts';
import { SluiceError } from '../errors/index.ts';

/** What PostgreSQL says of a NUL or half a surrogate pair in text, and of either in JSON. Source: its documentation, appendix A. */
const unstorable = new Set(['22021', '22P05']);

/** A caller's text that no database takes is the caller's fault, wherever it was sent; any other error is as it was. */
export function asCallersFault(error: unknown): unknown {
  if (error instanceof SluiceError || !unstorable.has(databaseErrorCode(error) ?? '')) return error;
  return new SluiceError('bad_user_input', {
    values: { reason: 'Text holds a NUL character or half of a surrogate pair. Remove it and try again.' },
  });
}
