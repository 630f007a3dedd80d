import type { Database } from '../../database/database.ts';
import type { SessionsService } from './sessions.service.ts';

const EVERY_MS = 2_000;
/** Clocks of other machines may be behind. */
const SLACK_MS = 60_000;

/**
 * Learns of sessions that another process on the same database ended, so that their sockets here are closed too.
 * @returns stops watching
 */
export function watchEndedSessions(database: Database, sessions: SessionsService): () => void {
  let told = new Set<string>();
  let lookedAt = Date.now();
  const look = async (): Promise<void> => {
    const now = Date.now();
    const since = new Date(lookedAt - SLACK_MS);
    const rows = await database.query<{ id: string }>('select id from sessions where revoked_at > $1', [since]);
    for (const { id } of rows) if (!told.has(id)) sessions.ended(id);
    told = new Set(rows.map(({ id }) => id));
    lookedAt = now;
  };
  // A database that is away tells of itself elsewhere; the next look sees what this one missed.
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS).unref();
  return () => clearInterval(timer);
}
