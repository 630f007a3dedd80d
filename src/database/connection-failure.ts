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
