import type { Database } from '../../database/database.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

const EVERY_MS = 2_000;
/** Clocks of other machines may be behind. */
const SLACK_MS = 60_000;

/**
 * Learns of keys that another process revoked: the command line, or a second server on the same database. Revocations by this
 * process need no such way: they are told at once.
 * @returns stops watching
 */
export function watchRevocations(database: Database, directory: MemoryKeyDirectory): () => void {
  const told = new Set<string>();
  let lookedAt = Date.now();
  const look = async (): Promise<void> => {
    const now = Date.now();
    const since = new Date(lookedAt - SLACK_MS);
    const rows = await database.query<{ id: string }>('select id from api_keys where revoked_at > $1', [since]);
    const recent = new Set(rows.map(({ id }) => id));
    for (const id of recent) if (!told.has(id)) directory.revoked(id);
    told.clear();
    for (const id of recent) told.add(id);
    lookedAt = now;
  };
  // A database that is away tells of itself elsewhere; the next look sees what this one missed.
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS).unref();
  return () => clearInterval(timer);
}
