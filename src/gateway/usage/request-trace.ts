import { jsonMembers } from '../../protocols/canonical/json-members.ts';

/** What groups a request with others; the client chooses all three. */
export interface RequestTrace {
  /** The session: a run of an agent, or a conversation. */
  readonly sessionId: string | null;
  /** What the request is a part of: the `x-request-id` of another one, or any name. */
  readonly parentId: string | null;
  /** The trace ID of W3C Trace Context: 32 hexadecimal digits. */
  readonly traceId: string | null;
}

/** Characters. */
export const MAX_TRACE_NAME_LENGTH = 256;
const namePattern = /^[\x20-\x7e]+$/;

/** Whether text can name a session or a parent: printable ASCII, not longer than the maximum. */
export function isTraceName(text: string): boolean {
  return text.length <= MAX_TRACE_NAME_LENGTH && namePattern.test(text);
}

/** Members of a usage record, which follow others. */
export function traceMembers({ sessionId, parentId, traceId }: RequestTrace): string {
  const session = sessionId !== null && { session_id: sessionId };
  const parent = parentId !== null && { parent_id: parentId };
  return `,${jsonMembers({ ...session, ...parent, ...(traceId !== null && { trace_id: traceId }) })}`;
}

/**
 * Adds `session_id` and `parent_id` of a request's `metadata`, for clients that cannot set headers. A header takes precedence;
 * a value that is no valid name is only metadata.
 */
export function traceWithMetadata(
  header: RequestTrace | null,
  metadata: Readonly<Record<string, string>> | null,
): RequestTrace | null {
  if (metadata === null) return header;
  const sessionId = header?.sessionId ?? nameIn(metadata.session_id);
  const parentId = header?.parentId ?? nameIn(metadata.parent_id);
  if (sessionId === null && parentId === null) return header;
  return { sessionId, parentId, traceId: header?.traceId ?? null };
}

function nameIn(value: string | undefined): string | null {
  return value !== undefined && isTraceName(value) ? value : null;
}
