import { systemClock } from '../../../calendar/clock.ts';
import { SluiceError, type UpstreamAnswer } from '../../../errors/index.ts';
import { isContextOverflow, overflowMessage } from '../../../protocols/canonical/context-overflow.ts';
import { countOf } from '../../../protocols/canonical/json-members.ts';
import type { ProviderErrorDetails, ReportedError } from '../../../protocols/canonical/reported-error.ts';
import type { HeaderMap } from '../../contract.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** Statuses below 500 that are not about the request: of a proxy, a timeout, and a server behind (Bedrock's ModelErrorException). */
const ofTheProvider: ReadonlySet<number> = new Set([407, 408, 424]);

/** Statuses that have a reason of their own, whatever the message quotes. */
const notAboutLength: ReadonlySet<number> = new Set([401, 402, 403, 404, 429, 503, 529]);

/** Parses an error body, of which up to 64 kB are read; null if it contains no error. */
export type ReadError = (body: string) => ProviderErrorDetails | null;

/**
 * Converts a provider's error. Messages about errors that the client can fix are relayed; others are not.
 * @param reportedStatus the status that the error corresponds to
 * @param upstreamStatus the received status; null if the error had no HTTP status of its own
 */
export function refusalError(
  provider: string,
  reportedStatus: number,
  headers: HeaderMap,
  reportedDetails: ProviderErrorDetails | null,
  upstreamStatus: number | null = reportedStatus,
): SluiceError {
  const overflow = notAboutLength.has(reportedStatus) ? null : overflowOf(reportedDetails);
  const details = overflow ?? reportedDetails;
  // Clients of every protocol look for 400; servers also send 413, 422, 424 and 500.
  const status = overflow === null ? reportedStatus : 400;
  const retryAfterMs = retryAfter(headers) ?? details?.retryAfterMs;
  const reported = details ?? undefined;
  if (status === 401 || status === 403 || details?.isCredentials === true)
    return new SluiceError('provider_credentials', {
      values: { provider },
      detail: `status ${status}`,
      upstreamStatus,
      reported,
    });
  // Anthropic returns 400 for an account without credit.
  if (status === 429 || (status === 400 && details?.code === 'insufficient_quota')) {
    const upstream = {
      status: 429,
      message: details?.message ?? `The provider ${provider} is limiting requests. Please try again later.`,
      type: details?.type ?? 'requests',
      code: details?.code ?? 'rate_limit_exceeded',
    };
    return new SluiceError('provider_error', {
      upstream,
      upstreamStatus,
      reported,
      retryAfterMs: retryAfterMs ?? 1_000,
    });
  }
  if (status >= 400 && status < 500 && !ofTheProvider.has(status)) {
    const upstream: UpstreamAnswer = {
      status,
      message: details?.message ?? `The provider ${provider} refused the request with status ${status}.`,
      type: details?.type ?? 'invalid_request_error',
      code: details?.code ?? null,
    };
    return new SluiceError('provider_error', { upstream, upstreamStatus, reported, param: details?.param ?? null });
  }
  const reason = details?.message ?? `status ${status}`;
  return new SluiceError(status === 503 || status === 529 ? 'provider_overloaded' : 'provider_error', {
    values: { provider, reason },
    retryAfterMs,
    detail: `status ${status}`,
    upstreamStatus,
    reported,
  });
}

/** The error with OpenAI's code for an input that is too long; null for any other error. */
function overflowOf<Details extends ReportedError>(details: Details | null): Details | null {
  if (details === null || !isContextOverflow(details.message, details.type, details.code)) return null;
  return { ...details, message: overflowMessage(details.message), code: 'context_length_exceeded' };
}

/** HTTP statuses of OpenAI's and Anthropic's error types and codes. */
const statuses: Readonly<Record<string, number>> = {
  context_length_exceeded: 400,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  tokens: 429,
  requests: 429,
  overloaded_error: 503,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  billing_error: 402,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  invalid_request_error: 400,
};

/** Converts an error that a provider reports within its response like an error response. */
export function reportedWithin(provider: string, reported: ReportedError): SluiceError {
  const error = reported.status == null ? (overflowOf(reported) ?? reported) : reported;
  const { message, type, code, param = null } = error;
  const status = error.status ?? statusOf(code) ?? statusOf(type);
  if (status === null)
    return new SluiceError('provider_error', {
      values: { provider, reason: message },
      reported: { message, type, code },
    });
  return refusalError(provider, status, {}, { message, type, code, param }, error.status ?? null);
}

function statusOf(name: string | null): number | null {
  return name !== null && Object.hasOwn(statuses, name) ? (statuses[name] ?? null) : null;
}

/** Reads `{"error":{"message","type","param","code"}}`, and the shorter formats of local servers. */
export function readOpenAiError(body: string): ProviderErrorDetails | null {
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
    message: (contextOf(error) ?? message).slice(0, MAX_MESSAGE_LENGTH),
    type: text(member(error, 'type')),
    code: text(member(error, 'code')),
    param: text(member(error, 'param')),
  };
}

/** llama.cpp's numbers, which its older messages omit. Source: github.com/ggml-org/llama.cpp, tools/server/README.md. */
function contextOf(error: unknown): string | null {
  if (member(error, 'type') !== 'exceed_context_size_error') return null;
  const tokens = countOf(member(error, 'n_prompt_tokens'));
  const maximum = countOf(member(error, 'n_ctx'));
  if (tokens === null || maximum === null) return null;
  return `request (${tokens} tokens) exceeds the available context size (${maximum} tokens)`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_MESSAGE_LENGTH) : null;
}

/** `retry-after-ms`, else `retry-after` in seconds or as an HTTP date; in milliseconds. */
function retryAfter(headers: HeaderMap): number | undefined {
  const ms = Number.parseFloat(String(headers['retry-after-ms'] ?? ''));
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = String(headers['retry-after'] ?? '');
  const seconds = Number(value);
  if (value !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - systemClock.now());
}
