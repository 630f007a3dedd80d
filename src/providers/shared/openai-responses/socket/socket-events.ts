import { isObject, membersOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { HeaderMap } from '../../../contract.ts';
import { parseAnswer } from '../../json/json-complexity.ts';

/** As in an event's JSON, which escapes the quotes of texts. Other events are not parsed. */
const MAYBE_LAST = /"response\.(?:completed|incomplete|failed|cancelled)"|"type"\s*:\s*"error"/;
const lastTypes: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'error',
]);

/** The last event of a request, parsed; null for any other message. */
export function lastEvent(json: string): JsonObject | null {
  if (!MAYBE_LAST.test(json)) return null;
  const event = parsed(json);
  return lastTypes.has(event.type) ? event : null;
}

/** The stream that an event names; null for none. */
export function streamOf(json: string): string | null {
  return textOf(parsed(json).stream_id);
}

/** What an `error` event says. Source: OpenAI's API document, ResponseWsError. */
export interface SocketError {
  readonly error: JsonObject;
  /** Null if it states none. */
  readonly status: number | null;
  /** Of the response that it would be over HTTP. Source: what Codex 0.169 reads. */
  readonly headers: HeaderMap;
}

/** Null for an event that is no error. */
export function errorIn(event: JsonObject): SocketError | null {
  if (event.type !== 'error') return null;
  const { error, status, status_code: code = status, headers } = event;
  return {
    error: isObject(error) ? error : event,
    status: typeof code === 'number' && code >= 300 && code < 600 ? code : null,
    headers: Object.fromEntries(
      Object.entries(membersOf(headers)).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
  };
}

function parsed(json: string): JsonObject {
  try {
    return membersOf(parseAnswer(json));
  } catch {
    return {};
  }
}
