import { SluiceError } from '../../../errors/index.ts';

export const RETRY_AFTER_MS = 1_000;
const missing = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/** Whatever the store reports, the client did nothing wrong. @throws SluiceError storage_unavailable */
export async function mapS3Errors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageUnavailable(error);
  }
}

export function storageUnavailable(cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause;
  const detail = cause instanceof Error ? `object storage: ${cause.name}: ${cause.message}` : 'object storage failed';
  return new SluiceError('storage_unavailable', { retryAfterMs: RETRY_AFTER_MS, detail, cause });
}

/** Whether the object or the upload does not exist. A bucket that does not exist is a fault. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && missing.has(error.name);
}
