import { databaseErrorCode } from '../database/connection-failure.ts';
import { SluiceError } from '../errors/index.ts';

/** SQLSTATEs for a NUL or a lone surrogate in text, and in JSON. Source: PostgreSQL's documentation, appendix A. */
const unstorable = new Set(['22021', '22P05']);

/** Text that the database cannot store is a client error; other errors are returned unchanged. */
export function asInputError(error: unknown): unknown {
  if (error instanceof SluiceError || !unstorable.has(databaseErrorCode(error) ?? '')) return error;
  return new SluiceError('bad_user_input', {
    values: { reason: 'Text contains a NUL character or a lone surrogate. Remove it and try again.' },
  });
}
