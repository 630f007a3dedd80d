import { databaseErrorCode, isConnectionFailure } from './connection-failure.ts';
import { SluiceError } from '../errors/index.ts';

const RETRY_AFTER_MS = 1_000;
/** SQLSTATE of a statement that was cancelled, as `statement_timeout` does. */
const QUERY_CANCELED = '57014';

/**
 * @throws SluiceError database_unavailable if the database could not be reached, query_timeout if a statement took too long; other
 * errors unchanged
 */
export async function mapDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (databaseErrorCode(error) === QUERY_CANCELED) throw new SluiceError('query_timeout', { cause: error });
    throw isConnectionFailure(error) ? databaseUnavailable(error) : error;
  }
}

export function databaseUnavailable(cause?: unknown): SluiceError {
  return new SluiceError('database_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause });
}
