import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { SessionsService } from './sessions.service.ts';

/**
 * Detects sessions that another process revoked, so that their sockets here are closed too. @returns a function that stops
 * watching
 */
export function watchEndedSessions(
  changes: Pick<ChangeWatch, 'add'>,
  sessions: Pick<SessionsService, 'ended'>,
): () => void {
  return changes.add<{ id: string }>({
    select: `select id from sessions where revoked_at > ${SINCE}`,
    changed: ({ id }) => sessions.ended(id),
  });
}
