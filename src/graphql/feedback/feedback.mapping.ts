import { requestIdOf } from '../../gateway/event-id.ts';
import type { FeedbackRow } from '../../services/feedback/feedback.service.ts';
import type { Caller } from '../operation/context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { Feedback } from './feedback.types.ts';

export function toFeedback(row: FeedbackRow): Feedback {
  const { id, event_id: eventId, session_id: sessionId, name, value, comment, created_ms, updated_ms } = row;
  return {
    id: toGlobalId('Feedback', id),
    requestId: eventId === null ? null : requestIdOf(eventId),
    sessionId,
    name,
    boolean: typeof value === 'boolean' ? value : null,
    number: typeof value === 'number' ? value : null,
    category: typeof value === 'string' ? value : null,
    comment,
    createdAt: new Date(Number(created_ms)),
    updatedAt: new Date(Number(updated_ms)),
    authorId: row.author_id,
  };
}

/** A key, or a user. */
export function authorOf(caller: Caller): string {
  return caller.kind === 'key' ? caller.key.id : caller.identity.userId;
}
