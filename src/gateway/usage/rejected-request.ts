import { dayMembers } from '../../calendar/usage-day.ts';
import type { SluiceError } from '../../errors/index.ts';
import type { StoredLevel } from '../content/content-level.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { jsonMembers } from '../../protocols/canonical/json-members.ts';
import { traceMembers, type RequestTrace } from './request-trace.ts';
import { storableText } from './storable-text.ts';

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
  /** Likewise: what is to be stored of its content; absent where that is not logged. */
  readonly contentLevel?: StoredLevel;
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

/** A settle record of one or more requests: see UsageRecord. @param at in milliseconds since the epoch */
export function rejectedLine(rejected: RejectedRequest, at: number, requests: number): string {
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
  const level = requests === 1 ? rejected.contentLevel : undefined;
  const content = level === undefined ? '' : `,"content_level":"${level}"`;
  return `{"event_id":"${eventId}",${began},${jsonMembers(members)}${grouped}${content}}`;
}
