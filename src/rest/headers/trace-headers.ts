import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../../errors/index.ts';
import { isTraceName, MAX_TRACE_NAME_LENGTH, type RequestTrace } from '../../gateway/usage/request-trace.ts';

/**
 * What groups a request with others: `x-sluice-session-id`, `x-sluice-parent-id` and the trace ID of `traceparent`.
 * @param agentSession the session that a header of the agent names, for a request without `x-sluice-session-id`
 * @returns null without any of them
 * @throws SluiceError invalid_value
 */
export function readTraceHeaders({ headers }: IncomingMessage, agentSession: string | null): RequestTrace | null {
  const session = headers['x-sluice-session-id'];
  const parent = headers['x-sluice-parent-id'];
  const { traceparent } = headers;
  if (session === undefined && parent === undefined && traceparent === undefined && agentSession === null) return null;
  const sessionId = session === undefined ? sessionOfAgent(agentSession) : nameIn('x-sluice-session-id', session);
  const parentId = parent === undefined ? null : nameIn('x-sluice-parent-id', parent);
  const traceId = traceparent === undefined ? null : traceIdOf(String(traceparent));
  return sessionId === null && parentId === null && traceId === null ? null : { sessionId, parentId, traceId };
}

function nameIn(header: string, value: string | readonly string[]): string {
  const name = String(value);
  if (isTraceName(name)) return name;
  const reason = `it must have 1 to ${MAX_TRACE_NAME_LENGTH} printable ASCII characters.`;
  throw new SluiceError('invalid_value', { param: header, values: { reason } });
}

/** The header is the agent's, with a purpose of its own: one that is no valid name is ignored. */
function sessionOfAgent(session: string | null): string | null {
  return session !== null && isTraceName(session) ? session : null;
}

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * Null for a header that must be ignored: https://www.w3.org/TR/trace-context/#traceparent-header. Versions after `00` may have
 * further fields.
 */
function traceIdOf(traceparent: string): string | null {
  const [, version, traceId, parentId = '', further] = traceparentForm.exec(traceparent) ?? [];
  if (version === undefined || traceId === undefined) return null;
  if (version === 'ff' || (version === '00' && further !== undefined)) return null;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? null : traceId;
}
