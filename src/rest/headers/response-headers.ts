import type { Response } from 'express';
import { elapsedMs, identityOf } from './request-identity.ts';

/** The API version that OpenAI's SDKs and tools expect. */
export const openaiVersion = '2020-10-01';

/** Response headers that scripts in browsers can read. */
export const exposedHeaders = [
  'x-request-id',
  'openai-processing-ms',
  'openai-version',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-sluice-provider',
  'x-sluice-model',
  'x-sluice-cost',
  'x-sluice-dropped-params',
  'x-sluice-max-tokens',
  'x-sluice-cache',
  'x-sluice-moderation',
  'idempotency-replayed',
].join(', ');

/** Sets the headers of every `/v1` response. */
export function setStandardHeaders(response: Response): void {
  const identity = identityOf(response);
  response.setHeader('openai-version', openaiVersion);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', exposedHeaders);
  response.setHeader('x-request-id', identity.requestId);
  response.setHeader('openai-processing-ms', String(elapsedMs(identity)));
}
