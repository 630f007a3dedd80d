import type { Request } from 'express';
import { SluiceError } from '../../errors/index.ts';

const MAX_SECONDS = 30 * 24 * 3_600;
const form = /^\s*ttl\s*=\s*(\d{1,9})\s*$/i;

/**
 * `x-sluice-cache: ttl=SECONDS` uses a cached response up to this age, or caches the new one. `off` disables the cache, whatever
 * the key or the route configures.
 * @returns milliseconds; 0 for off, null without the header
 * @throws SluiceError invalid_value
 */
export function readCacheHeader(request: Request): number | null {
  const given = request.headers['x-sluice-cache'];
  if (given === undefined) return null;
  const text = String(given);
  if (text.trim().toLowerCase() === 'off') return 0;
  const seconds = Number(form.exec(text)?.[1] ?? Number.NaN);
  if (seconds <= MAX_SECONDS) return seconds * 1_000;
  throw new SluiceError('invalid_value', {
    param: 'x-sluice-cache',
    values: { reason: `it must be \`ttl=<seconds>\` with up to ${MAX_SECONDS} seconds, or \`off\`.` },
  });
}
