import type { HeaderMap } from '../../../providers/contract.ts';
import { jsonMembers } from '../../../protocols/canonical/json-members.ts';
import type { Target } from '../../routing/target.ts';
import type { AttemptFailure } from './attempt-failure.ts';
import { storableText } from '../storable-text.ts';

/** Characters. */
const MAX_VALUE_LENGTH = 128;
const MAX_RATE_LIMITS = 16;

/**
 * Names of a request at its provider, in the order of preference: OpenAI and most others, Anthropic, Azure, Amazon, Google.
 * Sources: platform.openai.com/docs/api-reference/debugging-requests, docs.claude.com/en/api/errors#request-id,
 * learn.microsoft.com/azure/api-management, docs.aws.amazon.com/general/latest/gr/aws_tasks-api.html.
 */
const requestIdNames = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-amzn-requestid',
  'x-goog-request-id',
  'x-ms-request-id',
] as const;
const rateLimitName = /^(?:retry-after(?:-ms)?|(?:x-|anthropic-)?ratelimit-[a-z0-9-]{1,60}|x-ms-retry-after-ms)$/;

/** When an attempt was made, in milliseconds, and what its response says of itself. */
export interface AttemptTrace {
  /** Since the request arrived. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Until the head of a streamed response, since the attempt started; null where it is not known. */
  readonly headMs: number | null;
  readonly headers: HeaderMap | null;
}

/**
 * A UsageAttempt in JSON. What is zero or not known is omitted: the journal has a line for each request.
 * @param failure null where it did not fail; the rate limits of the provider are of interest only then
 */
export function attemptLine(
  target: Target,
  httpStatus: number | null,
  failure: (AttemptFailure & { readonly code: string }) | null,
  { startedMs, durationMs, headMs, headers }: AttemptTrace,
): string {
  const head = `{${target.attemptMembers},"status":${httpStatus}`;
  const started = Math.round(startedMs);
  const times =
    (started > 0 ? `"started_ms":${started},` : '') + (headMs === null ? '' : `"head_ms":${Math.round(headMs)},`);
  const id = headers === null ? null : requestIdIn(headers);
  const tail = `${id === null ? '' : `"request_id":${JSON.stringify(id)},`}${times}"duration_ms":${Math.round(durationMs)}}`;
  if (failure === null) return `${head},"error":null,${tail}`;
  const { code, error_type, error_code, message } = failure;
  const limits = headers === null ? null : rateLimitsIn(headers);
  const failed = jsonMembers({ error_type, error_code, message, ...(limits !== null && { rate_limits: limits }) });
  return `${head},"error":"${code}",${failed},${tail}`;
}

function requestIdIn(headers: HeaderMap): string | null {
  for (const name of requestIdNames) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return bounded(value);
  }
  return null;
}

/** By name; null for none. */
function rateLimitsIn(headers: HeaderMap): Record<string, string> | null {
  const found = Object.entries(headers)
    .filter(([name, value]) => typeof value === 'string' && rateLimitName.test(name))
    .slice(0, MAX_RATE_LIMITS)
    .map(([name, value]) => [name, bounded(String(value))] as const);
  return found.length === 0 ? null : Object.fromEntries(found);
}

function bounded(value: string): string {
  return storableText(value.slice(0, MAX_VALUE_LENGTH));
}
