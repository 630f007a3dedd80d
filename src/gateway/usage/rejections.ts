import type { Clock } from '../../calendar/clock.ts';
import { dayMembers } from '../../calendar/usage-day.ts';
import type { SluiceError } from '../../errors/index.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { GatewayMetrics } from '../metrics/metrics.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { jsonMembers } from '../../protocols/canonical/json-members.ts';
import { traceMembers, type RequestTrace } from './request-trace.ts';
import { storableText } from './storable-text.ts';

const MINUTE_MS = 60_000;
/** Kinds of rejections per key and minute; others are counted together by their HTTP status. */
const MAX_KINDS = 16;
/** The first ones of a kind have a record each, so that a developer sees every request. */
const MAX_SINGLE_RECORDS = 5;
const MAX_KEYS = 10_000;
/** Characters. */
const MAX_MODEL_LENGTH = 256;

/** The key of a rejected request. */
export type RejectedKey = Pick<KeyRecord, 'id' | 'accountId' | 'memberId' | 'timeZone'>;

/** A request that was rejected before its begin record. */
export interface RejectedRequest {
  readonly eventId: string;
  readonly key: RejectedKey;
  /** Null where the route has none or it is not known. */
  readonly capability: string | null;
  /** The client's protocol of text generation; null or absent where it is not known. */
  readonly protocol?: ProtocolName | null;
  /** The requested name; null where it was not read. */
  readonly requestedModel: string | null;
  /** The resolved target; null where it was not resolved. */
  readonly target: { readonly model: string; readonly provider: string } | null;
  readonly error: SluiceError;
  /** Recorded where the rejection has a record of its own. */
  readonly trace?: RequestTrace | null;
}

interface Kind {
  /** The last rejection without a record. */
  last: RejectedRequest;
  at: number;
  /** Number of rejections without a record. */
  pending: number;
  /** Number of further rejections with a record of their own. */
  singles: number;
}

interface KeyMinute {
  readonly minute: number;
  readonly kinds: Map<string, Kind>;
}

/** The model of a rejected request. */
export type RejectedModel = Pick<RejectedRequest, 'requestedModel' | 'target'>;

const resolved = new WeakMap<SluiceError, RejectedModel>();

/** Remembers the requested model of a rejected request by its error. */
export function withRequestedModel(error: SluiceError, of: RejectedModel): SluiceError {
  if (!resolved.has(error)) resolved.set(error, of);
  return error;
}

/** The model remembered for an error. */
export function requestedModelOf(error: SluiceError): RejectedModel {
  return resolved.get(error) ?? { requestedModel: null, target: null };
}

/**
 * Records rejected requests, each counted once. The first five of a kind (key, capability, error, model) in a minute
 * are recorded individually and immediately, later ones together at the end of the minute: a flood adds a bounded
 * number of records. A killed process loses the count of the current minute.
 */
export class RejectedRequests {
  readonly #journal: UsageJournal;
  readonly #metrics: GatewayMetrics;
  readonly #clock: Clock;
  readonly #keys = new Map<string, KeyMinute>();

  constructor(journal: UsageJournal, metrics: GatewayMetrics, clock: Clock) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  record(rejected: RejectedRequest): void {
    const now = this.#clock.now();
    this.#metrics.requestRejected(rejected.capability ?? 'other', rejected.error.code);
    const { kinds } = this.#minuteOf(rejected.key.id, Math.floor(now / MINUTE_MS));
    const { name, of, isRest } = kindOf(rejected, kinds);
    const known = kinds.get(name);
    if (known === undefined) {
      kinds.set(name, { last: of, at: now, pending: 0, singles: isRest ? 0 : MAX_SINGLE_RECORDS - 1 });
      this.#write(of, now, 1);
    } else if (known.singles > 0) {
      known.singles--;
      this.#write(of, now, 1);
    } else {
      known.last = of;
      known.at = now;
      known.pending++;
    }
  }

  /** Records the counts of past minutes. */
  flushEnded(): void {
    if (this.#keys.size === 0) return;
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    for (const [id, of] of this.#keys) if (of.minute !== minute) this.#flushKey(id, of);
  }

  flushAll(): void {
    for (const [id, of] of this.#keys) this.#flushKey(id, of);
  }

  #minuteOf(id: string, minute: number): KeyMinute {
    const known = this.#keys.get(id);
    if (known?.minute === minute) return known;
    if (known !== undefined) this.#flushKey(id, known);
    if (this.#keys.size >= MAX_KEYS) this.flushAll();
    const created = { minute, kinds: new Map<string, Kind>() };
    this.#keys.set(id, created);
    return created;
  }

  #flushKey(id: string, { kinds }: KeyMinute): void {
    this.#keys.delete(id);
    for (const { last, at, pending } of kinds.values()) if (pending > 0) this.#write(last, at, pending);
  }

  #write(rejected: RejectedRequest, at: number, requests: number): void {
    this.#journal.appendSettleWithoutBegin(rejectedLine(rejected, at, requests));
  }
}

/** Beyond the maximum number of kinds, rejections are grouped by status. */
function kindOf(
  rejected: RejectedRequest,
  kinds: ReadonlyMap<string, Kind>,
): { readonly name: string; readonly of: RejectedRequest; readonly isRest: boolean } {
  const { capability, protocol = null, error } = rejected;
  const requestedModel = rejected.requestedModel?.slice(0, MAX_MODEL_LENGTH) ?? null;
  const name = JSON.stringify([capability, protocol, error.code, requestedModel]);
  if (kinds.has(name) || kinds.size < MAX_KINDS) return { name, of: { ...rejected, requestedModel }, isRest: false };
  const of = { ...rejected, capability: null, protocol: null, requestedModel: null, target: null };
  return { name: String(error.status), of, isRest: true };
}

/** A settle record: see UsageRecord. */
function rejectedLine(rejected: RejectedRequest, at: number, requests: number): string {
  const { eventId, key, capability, protocol, requestedModel, target, error } = rejected;
  const members = {
    account_id: key.accountId,
    api_key_id: key.id,
    member_id: key.memberId,
    capability: capability ?? 'other',
    ...(protocol && { protocol }),
    model: storableText(target?.model ?? ''),
    requested_model: storableText(requestedModel ?? ''),
    provider: target?.provider ?? '',
    status: 'rejected',
    http_status: error.status,
    error_code: error.code,
    streamed: false,
    estimated: false,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    reasoning_tokens: 0,
    units: requests === 1 ? null : { requests },
    cost_nano: '0',
    price_version: '',
    duration_ms: 0,
    attempts: [],
  };
  const began = `"began_at":"${new Date(at).toISOString()}"${dayMembers(key.timeZone, at)}`;
  const grouped = requests === 1 && rejected.trace ? traceMembers(rejected.trace) : '';
  return `{"event_id":"${eventId}",${began},${jsonMembers(members)}${grouped}}`;
}
