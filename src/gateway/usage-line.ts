import type { KeyRecord } from './key-directory.ts';
import type { Route } from './routing/route.ts';
import type { UsageRecord } from './usage-record.ts';

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

/** The members of a UsageRecord that are known at the end only. */
export type Ending = Omit<
  UsageRecord,
  | 'event_id'
  | 'began_at'
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
  | 'end_user'
  | 'tags'
>;

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
export function recordLine(head: string, ending: Ending): string {
  return head + JSON.stringify(ending).slice(1);
}
