import type { Database } from '../../database/database.ts';

const EVERY_MS = 500;
/** Clocks of other machines may be behind. */
const SLACK_MS = 60_000;

export interface AccountWatcher {
  /** What a user is in an account is another thing now. */
  memberChanged(accountId: string, userId: string): void;
  /** An account was deleted, or restored. */
  accountChanged(accountId: string, deleted: boolean): void;
}

const recent = `
select entry.id, entry.account_id, entry.action, changed.value->>'before' as before, changed.value->>'after' as after
from audit_entries as entry
left join lateral jsonb_array_elements(entry.changes) as changed on changed.value->>'field' = 'user'
where entry.created_at > $1
  and entry.action in ('member.role_changed', 'member.removed', 'account.deletion_requested', 'account.deletion_cancelled')`;

/**
 * Learns of members and accounts that other processes changed, from the audit log: nothing changes them without it. This
 * process is told of its own changes at once.
 * @returns stops watching
 */
export function watchAccounts(database: Pick<Database, 'query'>, watcher: AccountWatcher): () => void {
  const told = new Set<string>();
  let lookedAt = Date.now();
  let looking = false;
  const look = async (): Promise<void> => {
    const now = Date.now();
    const rows = await database.query<{
      id: string;
      account_id: string;
      action: string;
      before: string | null;
      after: string | null;
    }>(recent, [new Date(lookedAt - SLACK_MS)]);
    for (const { id, account_id: accountId, action, before, after } of rows) {
      if (told.has(id)) continue;
      const user = after ?? before;
      if (!action.startsWith('member.')) watcher.accountChanged(accountId, action === 'account.deletion_requested');
      else if (user !== null) watcher.memberChanged(accountId, user);
    }
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
