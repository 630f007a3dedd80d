/**
 * Response headers with their descriptions for the API reference. Browsers let scripts read these: a header that is
 * documented here is also in `access-control-expose-headers`.
 */
export const documentedHeaders = {
  'x-request-id': 'Identifies the request in the server log and the usage log.',
  'openai-processing-ms': 'Milliseconds from the request to the response headers.',
  'x-ratelimit-limit-requests': 'Request limit of the key for the period.',
  'x-ratelimit-remaining-requests': 'Remaining requests in the period.',
  'x-ratelimit-reset-requests': 'Time until the request limit is fully replenished, for example `1s` or `6m0s`.',
  'x-ratelimit-limit-tokens': 'Token limit of the key per minute.',
  'x-ratelimit-remaining-tokens': 'Remaining tokens in the minute.',
  'x-ratelimit-reset-tokens': 'Time until the token limit is fully replenished.',
  'x-sluice-provider': 'The provider that processed the request.',
  'x-sluice-model': 'The model that processed the request: `provider/model`.',
  'x-sluice-cost':
    'Cost in USD, as a decimal. Absent if the price of the model is unknown. Streams report it as `usage.cost` in the last chunk.',
  'x-sluice-max-tokens':
    'Maximum output tokens that were set for the request, because it specified none and its budgets do not cover the longest response.',
  'x-sluice-cache': '`hit` if the response is from the response cache, else `miss`. Absent if the cache is not used.',
  'x-sluice-dropped-params': 'Comma-separated parameters that the provider does not support and that were dropped.',
  'x-sluice-estimated': 'Comma-separated members of the response that are estimates: the provider did not count them.',
  'x-sluice-moderation':
    'Flagged categories of a chat that is moderated with the action `annotate`: `input=none; output=violence`.',
  'retry-after': 'Seconds to wait before the request is sent again.',
  'retry-after-ms': 'Milliseconds to wait before the request is sent again.',
  'x-should-retry': '`false` if repeating the request would fail in the same way.',
  'www-authenticate': '`Bearer`.',
  'idempotency-replayed': '`true` if the response belongs to an earlier request with the same `Idempotency-Key`.',
} as const;

export type DocumentedHeader = keyof typeof documentedHeaders;

const anthropicLimits = ['requests', 'tokens'].flatMap((what) =>
  ['limit', 'remaining', 'reset'].map((name) => `anthropic-ratelimit-${what}-${name}`),
);

/** `access-control-expose-headers` of every response. */
export const exposedHeaders = [
  'openai-version',
  ...Object.keys(documentedHeaders),
  // Of Anthropic's clients (docs/api/messages.md).
  'request-id',
  ...anthropicLimits,
].join(', ');
