import { hash } from 'node:crypto';
import { canonicalJson } from '../../catalogue/canonical-json.ts';

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
 */
export function cacheKey(accountId: string, capability: string, model: string, request: object): string {
  const members = Object.entries(request).filter(
    ([name, value]) => name !== 'model' && value !== null && value !== undefined && !withoutEffect.has(name),
  );
  const asked = canonicalJson(Object.fromEntries(members));
  return hash('sha256', `${accountId}\n${capability}\n${JSON.stringify(model)}\n${asked}`);
}
