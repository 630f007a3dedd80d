import type { Database } from '../../database/database.ts';
import type { MemoryKeyDirectory } from './key-directory.ts';

const EVERY_MS = 500;
/** A change shows when it is committed, which may be so long after its time. */
const SLACK_MS = 60_000;

/** Where changes of keys arrive. */
export type KeyChangeListener = Pick<MemoryKeyDirectory, 'evict' | 'revoked'>;

/**
 * Learns of keys that another process changed, rotated or revoked: the command line, or a second server on the same database.
 * Changes by this process need no such way: they are told at once.
 * @returns stops watching
 */
export function watchKeyChanges(database: Pick<Database, 'query'>, directory: KeyChangeListener): () => void {
  const told = new Set<string>();
  let lookedAt = performance.now();
  let looking = false;
  const look = async (): Promise<void> => {
    const now = performance.now();
    const rows = await database.query<{ id: string; revoked: boolean; at: string }>(
      `select id, revoked_at is not null as revoked, changed_at::text as at from api_keys
       where changed_at > clock_timestamp() - $1 * interval '1 millisecond'`,
      [Math.ceil(now - lookedAt) + SLACK_MS],
    );
    const recent = new Set<string>();
    for (const { id, revoked, at } of rows) {
      const change = `${id} ${at}`;
      recent.add(change);
      if (told.has(change)) continue;
      if (revoked) directory.revoked(id);
      else directory.evict(id);
    }
    told.clear();
    for (const change of recent) told.add(change);
    lookedAt = now;
  };
  // A database that is away tells of itself elsewhere; the next look sees what this one missed.
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
