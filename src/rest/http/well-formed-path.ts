import type { RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';

/**
 * Rejects paths that routes cannot decode: malformed percent-encoding, invalid UTF-8, and NUL, which PostgreSQL does not accept.
 */
export const requireWellFormedPath: RequestHandler = (request, _response, next) => {
  const reason = faultOf(request.url);
  if (reason === null) next();
  else next(new SluiceError('malformed_url', { values: { reason } }));
};

function faultOf(url: string): string | null {
  if (!url.includes('%')) return null;
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(path).includes('\0') ? 'it contains `%00`' : null;
  } catch {
    return 'its percent-encoding is malformed or is not UTF-8';
  }
}
