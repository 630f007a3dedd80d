/** SQLSTATEs that say: not now. Source: PostgreSQL's documentation, appendix A. */
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
/** What `pg` and `pg-pool` say without a code. */
const texts = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
];

/** SQLSTATEs that say: not with this URL. */
const refused = new Set(['28000', '28P01', '3D000']);

/** The database cannot be used as it is configured; its message says where it is, and why. */
export class DatabaseUnusableError extends Error {}

/** What went wrong at the first use of a database, for the operator; null where it is not the database's place or its password. */
export function unusable(url: string, error: unknown): DatabaseUnusableError | null {
  const code = databaseErrorCode(error);
  const isRefused = code !== null && refused.has(code);
  if (!isRefused && !isConnectionFailure(error)) return null;
  const { hostname, port } = new URL(url);
  const place = `${hostname || 'localhost'}:${port || '5432'}`;
  return new DatabaseUnusableError(
    `The database at ${place} (DATABASE_URL) ${isRefused ? 'refuses us' : 'could not be reached'}: ${innermostMessage(error)}`,
    { cause: error },
  );
}

/** One that was tried at several addresses has an error of each. */
function innermostMessage(error: unknown): string {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (!(inner instanceof Error)) break;
    at = inner;
  }
  return at instanceof Error ? at.message : String(at);
}

/** SQLSTATE or system error code, however deep the wrapping. */
export function databaseErrorCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return null;
}

/** True where the database could not be reached or broke off: the same statement may succeed later. */
export function isConnectionFailure(error: unknown): boolean {
  const code = databaseErrorCode(error);
  if (code !== null && (code.startsWith('08') || unavailable.has(code) || network.has(code))) return true;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { message } = at;
    if (texts.some((text) => message.includes(text))) return true;
  }
  return false;
}
