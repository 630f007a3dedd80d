import { requestCount } from './request-count.ts';

/** SQL: whether a row of `usage_logs` has a response from the response cache. */
const isResponseHit = "price_version = 'cached'";

/**
 * SQL: what the caches did, as sums over rows of `usage_logs`. `cache_savings_nano` is what the response cache saved where the
 * response is from it, else what the provider's prompt cache saved; null where no cache was used, or no price is known.
 * @param requests SQL: the number of requests of a row
 */
export function cacheSums(requests = requestCount): Readonly<Record<CacheFigure, string>> {
  const sum = (value: string, rows: string): string => `coalesce(sum(${value}) filter (where ${rows}), 0)`;
  return {
    prompt_cache_requests: sum(requests, `cached_tokens > 0 and not ${isResponseHit}`),
    prompt_cache_savings_nano: sum('cache_savings_nano', `not ${isResponseHit}`),
    response_cache_requests: sum(requests, isResponseHit),
    response_cache_savings_nano: sum('cache_savings_nano', isResponseHit),
  };
}

export const cacheFigures = [
  'prompt_cache_requests',
  'prompt_cache_savings_nano',
  'response_cache_requests',
  'response_cache_savings_nano',
] as const;
type CacheFigure = (typeof cacheFigures)[number];
