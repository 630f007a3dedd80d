import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../../catalogue/canonical-json.ts';

/** Sorting the members of a longer body would block other requests. */
const MAX_CANONICAL_BYTES = 1024 * 1024;

/** Members that do not affect the response. */
const withoutEffect = new Set([
  'stream_options',
  'metadata',
  'store',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'service_tier',
]);

/**
 * A key that is equal for equivalent requests: independent of member order, and null equals absence.
 * @param model the requested name, with aliases resolved
 * @param body the raw JSON body, if any; a long one is compared byte for byte
 */
export function cacheKey(
  accountId: string,
  capability: string,
  model: string,
  request: object,
  body: Buffer | null = null,
): string {
  const name = `${accountId}\n${capability}\n${JSON.stringify(model)}\n`;
  if (body !== null && body.length > MAX_CANONICAL_BYTES)
    return createHash('sha256').update(name).update(body).digest('hex');
  const members = Object.entries(request).filter(
    ([name, value]) => name !== 'model' && value !== null && value !== undefined && !withoutEffect.has(name),
  );
  const canonical = canonicalJson(Object.fromEntries(members));
  return hash('sha256', name + canonical);
}
