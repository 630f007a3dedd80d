import { SluiceError, type UpstreamAnswer } from '../../errors/index.ts';
import type { HeaderMap } from '../contract.ts';

const LONGEST_MESSAGE = 2_000;

/** What a provider's refusal says, in OpenAI's terms. */
export interface ToldError {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /** Where the body says when to try again. */
  readonly retryAfterMs?: number | undefined;
  /** The provider refuses our key, whatever the status. */
  readonly isCredentials?: boolean | undefined;
}

/** Reads a refusal's body, which came whole or in its first 64 kB; null for what says nothing. */
export type ReadError = (body: string) => ToldError | null;

/** Turns a provider's refusal into ours. What the caller can mend is passed on in the provider's words; what it cannot is not. */
export function refusalError(
  provider: string,
  status: number,
  headers: HeaderMap,
  told: ToldError | null,
): SluiceError {
  const retryAfterMs = retryAfter(headers) ?? told?.retryAfterMs;
  if (status === 401 || status === 403 || told?.isCredentials === true)
    return new SluiceError('provider_credentials', { values: { provider }, detail: `status ${status}` });
  if (status === 429) {
    const upstream = {
      status: 429,
      message: told?.message ?? `The provider ${provider} is limiting requests. Please try again later.`,
      type: told?.type ?? 'requests',
      code: told?.code ?? 'rate_limit_exceeded',
    };
    return new SluiceError('provider_error', { upstream, retryAfterMs: retryAfterMs ?? 1_000 });
  }
  if (status >= 400 && status < 500 && status !== 407 && status !== 408) {
    const upstream: UpstreamAnswer = {
      status,
      message: told?.message ?? `The provider ${provider} refused the request with status ${status}.`,
      type: told?.type ?? 'invalid_request_error',
      code: told?.code ?? null,
    };
    return new SluiceError('provider_error', { upstream, param: told?.param ?? null });
  }
  const reason = told?.message ?? `status ${status}`;
  return new SluiceError(status === 503 || status === 529 ? 'provider_overloaded' : 'provider_error', {
    values: { provider, reason },
    retryAfterMs,
    detail: `status ${status}`,
  });
}

/** Reads `{"error":{"message","type","param","code"}}`, and the shorter forms that local servers send. */
export function readOpenAiError(body: string): ToldError | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null;
  }
  const error = member(parsed, 'error') ?? parsed;
  const message = typeof error === 'string' ? error : (member(error, 'message') ?? member(error, 'detail'));
  if (typeof message !== 'string' || message === '') return null;
  return {
    message: message.slice(0, LONGEST_MESSAGE),
    type: text(member(error, 'type')),
    code: text(member(error, 'code')),
    param: text(member(error, 'param')),
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, LONGEST_MESSAGE) : null;
}

/** `retry-after-ms`, else `retry-after` in seconds or as an HTTP date; in milliseconds. */
function retryAfter(headers: HeaderMap): number | undefined {
  const ms = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = String(headers['retry-after'] ?? '');
  const seconds = Number(value);
  if (value !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
