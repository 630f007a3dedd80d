import type { KeyRecord } from './key-directory.ts';
import type { Route } from './routing/route.ts';
import type { TokenUsage } from './capabilities/capability.ts';
import type { UsageStatus } from './usage-record.ts';

/** What is known of a request when it begins. */
export interface Beginning {
  readonly eventId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly key: KeyRecord;
  readonly route: Route;
  readonly capability: string;
  readonly requestedModel: string;
  readonly streamed: boolean;
  readonly endUser: string | null;
}

/** What is known of a request when it ends; times in milliseconds. */
export interface Outcome {
  readonly status: UsageStatus;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  readonly finishReason: string | null;
  /** Nano-USD. */
  readonly cost: bigint;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
}

/** The one try at a provider; null where none was made. */
export interface Attempt {
  readonly provider: string;
  readonly model: string;
  readonly durationMs: number;
}

/** The part of a journal line that begin and settle share: an open JSON object that starts with `event_id`. */
export function lineHead(begin: Beginning): string {
  const { key, route } = begin;
  return (
    `{"event_id":"${begin.eventId}","began_at":"${new Date(begin.at).toISOString()}","account_id":"${key.accountId}","api_key_id":"${key.id}"` +
    `,"member_id":${key.memberId === null ? 'null' : `"${key.memberId}"`},"capability":"${begin.capability}","model":${JSON.stringify(route.model)}` +
    `,"requested_model":${JSON.stringify(begin.requestedModel)},"provider":"${route.connection.provider}","streamed":${begin.streamed}` +
    `,"price_version":${JSON.stringify(route.priceVersion)},"rates":${route.ratesJson},"end_user":${JSON.stringify(begin.endUser)},"tags":null,`
  );
}

/** The whole line: a UsageRecord in JSON. */
export function recordLine(head: string, outcome: Outcome, attempt: Attempt | null): string {
  const { status, httpStatus, errorCode, usage, estimated, finishReason, cost, durationMs, firstTokenMs } = outcome;
  const code = quoted(errorCode);
  const attempts =
    attempt === null
      ? ''
      : `{"provider":"${attempt.provider}","model":${JSON.stringify(attempt.model)},"status":${httpStatus},"error":${code},"duration_ms":${Math.round(attempt.durationMs)}}`;
  // Written by hand: this runs twice a request.
  return (
    `${head}"status":"${status}","http_status":${httpStatus},"error_code":${code},"estimated":${estimated}` +
    `,"input_tokens":${usage.inputTokens},"output_tokens":${usage.outputTokens},"cached_tokens":${usage.cachedTokens},"reasoning_tokens":${usage.reasoningTokens}` +
    `,"cost_nano":"${cost}","finish_reason":${quoted(finishReason)},"duration_ms":${Math.round(durationMs)}` +
    `,"first_token_ms":${firstTokenMs === null ? 'null' : Math.round(firstTokenMs)},"attempts":[${attempts}]}`
  );
}

function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
