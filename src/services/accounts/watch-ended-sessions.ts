import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';
import type { SessionsService } from './sessions.service.ts';

/** Learns of sessions that another process ended, so that their sockets here are closed too. @returns stops watching */
export function watchEndedSessions(
  changes: Pick<ChangeWatch, 'add'>,
  sessions: Pick<SessionsService, 'ended'>,
): () => void {
  return changes.add<{ id: string }>({
    select: `select id from sessions where revoked_at > ${SINCE}`,
    changed: ({ id }) => sessions.ended(id),
  });
}
