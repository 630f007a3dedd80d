import type { TokenRates, UsageUnits } from '../catalogue/token-rates.ts';
import type { AttemptFailure } from './attempt-failure.ts';

export type { TokenRates, UsageUnits };

/** Also how many requests a record stands for, where that is not one: rejected ones are counted together, a later bill is none. */
export type RecordedUnits = UsageUnits & { readonly requests?: number };

/** How a request ended. `interrupted`: the process died before it could settle. `rejected`: it ended before it began. */
export const usageStatuses = ['succeeded', 'failed', 'aborted', 'interrupted', 'rejected'] as const;
export type UsageStatus = (typeof usageStatuses)[number];

/**
 * A settled request, as it stands in the journal and, key for key, as it is inserted into `usage_logs`
 * (names are the columns'). A member that is null may be missing from the journal.
 */
export interface UsageRecord {
  /** UUIDv7; with `began_at` the row's identity. The caller's `x-request-id` is `req_` + its 32 hex digits. */
  readonly event_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly began_at: string;
  /** When its day began by its account's calendar, likewise; missing where that was a day of UTC. */
  readonly day_at?: string;
  /** How long that day is. */
  readonly day_minutes?: number;
  readonly account_id: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly capability: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly requested_model: string;
  readonly provider: string;
  readonly status: UsageStatus;
  readonly http_status: number;
  /** From the error catalogue. */
  readonly error_code: string | null;
  readonly streamed: boolean;
  /** True where tokens were counted by us, not reported by the provider. */
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  /** What else was used; null where that is nothing. */
  readonly units: RecordedUnits | null;
  /** Integer nano-USD, as text: it may pass 2^53. */
  readonly cost_nano: string;
  readonly price_version: string;
  readonly rates: TokenRates | null;
  /** What the plan added to the cost, in parts per million; missing where that is nothing. */
  readonly markup_ppm?: number | null;
  readonly finish_reason: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  /** The caller's `user` or `safety_identifier`. */
  readonly end_user: string | null;
  readonly tags: Readonly<Record<string, string>> | null;
  readonly attempts: readonly UsageAttempt[];
}

/** What is recorded when a request begins, before anything is sent. */
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
  | 'model'
  | 'requested_model'
  | 'provider'
  | 'streamed'
  | 'price_version'
  | 'rates'
  | 'markup_ppm'
  | 'end_user'
  | 'tags'
> {
  /** Estimated. */
  readonly input_tokens: number;
}

/** One try at one provider. */
export interface UsageAttempt extends Partial<AttemptFailure> {
  readonly provider: string;
  readonly model: string;
  /** What the provider answered with; null where it did not. */
  readonly status: number | null;
  /** From the error catalogue. */
  readonly error: string | null;
  readonly duration_ms: number;
}

/**
 * Where the drainer puts settled records. `rows` is a JSON array of UsageRecord, handed over as bytes: PostgreSQL parses it, so
 * that this process need not. What records have in common they may say by number: members of the object in `commons`, also a
 * JSON array, whose `common` is their `of_key` or `of_route`.
 */
export interface UsageSink {
  /** Idempotent by (event_id, began_at). @throws when nothing was stored: the drainer tries again */
  store(rows: Buffer, commons: string): Promise<void>;
}
