import { SluiceError } from '../errors/index.ts';

/** SQLSTATEs of temporary unavailability. Source: PostgreSQL's documentation, appendix A. */
const unavailable = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25P03']);
const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Messages of `pg` and `pg-pool` errors that have no code. */
const texts = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end',
];

const RETRY_AFTER_MS = 1_000;

/** SQLSTATEs that mean the URL is wrong: credentials or database name. */
const refused = new Set(['28000', '28P01', '3D000']);

/** The database cannot be used; the message says why, and contains its address or what to do. */
export class DatabaseUnusableError extends Error {}

/** Explains to the operator why a database could not be opened; null unless its address or credentials are the cause. */
export function unusable(url: string, error: unknown): DatabaseUnusableError | null {
  const code = databaseErrorCode(error);
  const isRefused = code !== null && refused.has(code);
  const reason = innermostMessage(error);
  if (!isRefused && !isConnectionFailure(error)) return null;
  const { hostname, port } = new URL(url);
  const place = `${hostname || 'localhost'}:${port || '5432'}`;
  if (reason.includes('unsupported startup parameter'))
    return new DatabaseUnusableError(
      `The server at ${place} (DATABASE_URL) is a pooler: ${reason}. Set DATABASE_POOLER=transaction.`,
      { cause: error },
    );
  return new DatabaseUnusableError(
    `The database at ${place} (DATABASE_URL) ${isRefused ? 'rejected the connection' : 'could not be reached'}: ${reason}`,
    { cause: error },
  );
}

/** A connection that was attempted at several addresses has one error per address. */
export function innermostMessage(error: unknown): string {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (!(inner instanceof Error)) break;
    at = inner;
  }
  return at instanceof Error ? at.message : String(at);
}

/** The SQLSTATE or system error code, at any depth of wrapping. */
export function databaseErrorCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return null;
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity violation): a retry would fail again. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(databaseErrorCode(error) ?? '');
}

/** Whether the database could not be reached or disconnected: the same statement may succeed later. */
export function isConnectionFailure(error: unknown): boolean {
  const code = databaseErrorCode(error);
  if (code !== null && (code.startsWith('08') || unavailable.has(code) || network.has(code))) return true;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { message } = at;
    if (texts.some((text) => message.includes(text))) return true;
  }
  return false;
}

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
