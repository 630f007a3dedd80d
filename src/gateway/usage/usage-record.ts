import type { TokenRates, UsageUnits } from '../../catalogue/prices/token-rates.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { SluiceError } from '../../errors/index.ts';
import type { TokenUsage } from '../capabilities/capability.ts';
import type { StoredLevel } from '../content/content-level.ts';
import type { RecordedRouting } from '../routing/selection/routing-decision.ts';
import type { AttemptFailure } from './attempts/attempt-failure.ts';

export type { TokenRates, UsageUnits };

/** `requests` where it is not 1: rejections are counted together, and a deferred charge is no request. */
export type RecordedUnits = UsageUnits & { readonly requests?: number };

/** How a request ended. `interrupted`: the process died before it could settle. `rejected`: it ended before it began. */
export const usageStatuses = ['succeeded', 'failed', 'aborted', 'interrupted', 'rejected'] as const;
export type UsageStatus = (typeof usageStatuses)[number];

/** How a request ended, before it is a record. */
export interface RequestOutcome {
  readonly status: UsageStatus;
  readonly httpStatus: number;
  readonly error: SluiceError | null;
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  /** Nano-USD. */
  readonly cost: bigint;
  readonly finishReason: string | null;
}

/**
 * A settled request as in the journal and, member for member, as inserted into `usage_logs` (names are the columns'). A
 * member that is null may be missing in the journal.
 */
export interface UsageRecord {
  /** UUIDv7; with `began_at` the row's identity. The client's `x-request-id` is `req_` + its 32 hex digits. */
  readonly event_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly began_at: string;
  /** Start of its day in the account's time zone, likewise; missing for a UTC day. */
  readonly day_at?: string;
  /** Length of that day. */
  readonly day_minutes?: number;
  readonly account_id: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly capability: string;
  /** The client's protocol of text generation; null for other capabilities, and where it is not known. */
  readonly protocol?: ProtocolName | null;
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly requested_model: string;
  readonly provider: string;
  readonly status: UsageStatus;
  readonly http_status: number;
  /** From the error catalogue. */
  readonly error_code: string | null;
  readonly streamed: boolean;
  /** True where tokens were estimated, not reported by the provider. */
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  /** Further usage; null for none. */
  readonly units: RecordedUnits | null;
  /** Integer nano-USD as text: it may exceed 2^53. */
  readonly cost_nano: string;
  /** Integer nano-USD as text: what the prompt cache or, for a response from it, the response cache saved; missing for 0. */
  readonly cache_savings_nano?: string;
  readonly price_version: string;
  readonly rates: TokenRates | null;
  /** The plan's markup in parts per million; missing for none. */
  readonly markup_ppm?: number | null;
  readonly finish_reason: string | null;
  /** Until it was settled, as all times since the request arrived. */
  readonly duration_ms: number;
  /** When its limits were reserved; missing in records of earlier versions, and where it was not admitted. */
  readonly admitted_ms?: number | null;
  readonly first_token_ms: number | null;
  /**
   * When the last output was sent to the client; missing for none, and as above. The end of a complete response is sent once the
   * request is settled: its time is that before.
   */
  readonly last_output_ms?: number | null;
  /** The request's `user` or `safety_identifier`. */
  readonly end_user: string | null;
  readonly tags: Readonly<Record<string, string>> | null;
  /** See RequestTrace. */
  readonly session_id?: string | null;
  readonly parent_id?: string | null;
  readonly trace_id?: string | null;
  /** What is to be stored of its content; missing where that is not logged. */
  readonly content_level?: StoredLevel | null;
  readonly attempts: readonly UsageAttempt[];
  /** How its targets were selected; missing where its route has one. */
  readonly routing?: RecordedRouting | null;
}

/** The begin record, written before anything is sent. */
export interface BegunRecord extends Pick<
  UsageRecord,
  | 'event_id'
  | 'began_at'
  | 'day_at'
  | 'day_minutes'
  | 'account_id'
  | 'api_key_id'
  | 'member_id'
  | 'capability'
  | 'protocol'
  | 'model'
  | 'requested_model'
  | 'provider'
  | 'streamed'
  | 'price_version'
  | 'rates'
  | 'markup_ppm'
  | 'end_user'
  | 'tags'
  | 'session_id'
  | 'parent_id'
  | 'trace_id'
  | 'content_level'
> {
  /** Whether its caller runs it again, with the same event id, if the process dies; missing where it does not. */
  readonly rerun?: true;
  /** Estimated. */
  readonly input_tokens: number;
}

/** One attempt at one provider. */
export interface UsageAttempt extends Partial<AttemptFailure> {
  readonly provider: string;
  readonly model: string;
  /** Whether the connection is the account's own; missing where it is the operator's. */
  readonly own?: true;
  /** The provider's HTTP status; null without a response. */
  readonly status: number | null;
  /** From the error catalogue. */
  readonly error: string | null;
  /** Since the request arrived; missing for 0. */
  readonly started_ms?: number;
  /** From the start of the attempt to the head of a streamed response. */
  readonly head_ms?: number;
  /** The provider's own ID of the request. */
  readonly request_id?: string;
  /** The rate-limit headers of a failed attempt, by name. */
  readonly rate_limits?: Readonly<Record<string, string>>;
  readonly duration_ms: number;
}

/**
 * Stores settled records. `rows` is a JSON array of UsageRecord, as bytes that PostgreSQL parses, not this process.
 * Shared members are in objects of `commons`, also a JSON array: their `common` is the `of_key` or `of_route` of a
 * record.
 */
export interface UsageSink {
  /** Idempotent by (event_id, began_at). @throws when nothing was stored: the drainer tries again */
  store(rows: Buffer, commons: string): Promise<void>;
}
