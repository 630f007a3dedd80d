import type { SluiceError } from '../../errors/index.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** A response object. Source: OpenAI's API document, Response. */
export type ResponseObject = Readonly<Record<string, unknown>> & { readonly status: ResponseStatus };

/** The error of a failed response. */
export interface ResponseError {
  /** For the event `error`. */
  readonly code: string;
  /** For the response's `error`. */
  readonly responseCode: ResponseErrorCode;
  readonly message: string;
}

/**
 * The values of ResponseErrorCode that are not specific to images or tools, and `context_length_exceeded`, which OpenAI
 * sends beside them: agents compact a conversation when they read it. Source: github.com/openai/codex, codex-api's
 * reading of `response.failed`.
 */
export type ResponseErrorCode = 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt' | 'context_length_exceeded';

/** Errors without a code of their own have OpenAI's `server_error`. */
export function responseError(error: SluiceError): ResponseError {
  return { code: error.wireCode ?? 'server_error', responseCode: responseErrorCode(error), message: error.message };
}

/** OpenAI's error code of a failed response; its message has the details. */
function responseErrorCode({ status, wireCode }: SluiceError): ResponseErrorCode {
  if (wireCode === 'context_length_exceeded') return wireCode;
  if (status === 429) return 'rate_limit_exceeded';
  return status < 500 ? 'invalid_prompt' : 'server_error';
}

const serviceTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
]);

/** Clients of OpenAI's API cannot know the service tiers of other providers. */
export function isServiceTier(tier: string): boolean {
  return serviceTiers.has(tier);
}

/** Source: OpenAI's API document, ResponseUsage. @param cost in USD, a member of Sluice's own */
export function usageObject(usage: Usage, cost: number | undefined): object {
  const { inputTokens, outputTokens } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.totalTokens || inputTokens + outputTokens,
    ...(cost !== undefined && { cost }),
  };
}

/** Converts a finish reason; null before there is one. */
export function endOf(reason: FinishReason | null): {
  readonly status: 'completed' | 'incomplete';
  readonly incomplete_details: object | null;
} {
  if (reason === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (reason === 'content_filter') return { status: 'incomplete', incomplete_details: { reason } };
  return { status: 'completed', incomplete_details: null };
}
