import type { Database } from '../../database/database.ts';

const EVERY_MS = 500;
/** Clocks of other machines may be behind. */
const SLACK_MS = 60_000;

/**
 * Tells of accounts whose plan another process changed. This process is told of its own changes at once.
 * @returns stops watching
 */
export function watchPlanChanges(database: Pick<Database, 'query'>, changed: (accountId: string) => void): () => void {
  const told = new Set<string>();
  let lookedAt = Date.now();
  let looking = false;
  const look = async (): Promise<void> => {
    const now = Date.now();
    const since = new Date(lookedAt - SLACK_MS);
    const rows = await database.query<{ id: string; account_id: string }>(
      'select id, account_id from plan_changes where created_at > $1',
      [since],
    );
    for (const { id, account_id: accountId } of rows) if (!told.has(id)) changed(accountId);
    told.clear();
    for (const { id } of rows) told.add(id);
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
