import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../../catalogue/canonical-json.ts';

/** To sort the members of a longer body would keep other requests waiting. */
const MAX_CANONICAL_BYTES = 1024 * 1024;

/** Members that do not change what is answered. */
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
 * The same for requests that ask for the same: whatever the order of their members, with null for what is absent or not.
 * @param model the name that the request goes by, with aliases followed
 * @param body the request as it came, where it is JSON: a long one is the same byte for byte
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
  const asked = canonicalJson(Object.fromEntries(members));
  return hash('sha256', name + asked);
}
