import { isConnectionFailure } from '../database/connection-failure.ts';
import { SluiceError } from '../errors/index.ts';

const RETRY_AFTER_MS = 1_000;

/** @throws SluiceError database_unavailable if the database could not be reached; other errors unchanged */
export async function mapDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isConnectionFailure(error) ? databaseUnavailable(error) : error;
  }
}

export function databaseUnavailable(cause?: unknown): SluiceError {
  return new SluiceError('database_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause });
}
