import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';

export interface AccountWatcher {
  /** A user's role in an account changed. */
  memberChanged(accountId: string, userId: string): void;
  /** An account was deleted or restored. */
  accountChanged(accountId: string, deleted: boolean): void;
}

interface Change {
  readonly account_id: string;
  readonly action: string;
  readonly before: string | null;
  readonly after: string | null;
}

const select = `
select entry.id, entry.account_id, entry.action, changed.value->>'before' as before, changed.value->>'after' as after
from audit_entries as entry
left join lateral jsonb_array_elements(entry.changes) as changed on changed.value->>'field' = 'user'
where entry.created_at > ${SINCE}
  and entry.action in ('member.role_changed', 'member.removed', 'account.deletion_requested', 'account.deletion_cancelled')`;

/**
 * Detects changes of members and accounts by other processes through the audit log, which records all of them.
 * @returns a function that stops watching
 */
export function watchAccounts(changes: Pick<ChangeWatch, 'add'>, watcher: AccountWatcher): () => void {
  return changes.add<Change>({
    select,
    changed: ({ account_id: accountId, action, before, after }) => {
      const user = after ?? before;
      if (!action.startsWith('member.')) watcher.accountChanged(accountId, action === 'account.deletion_requested');
      else if (user !== null) watcher.memberChanged(accountId, user);
    },
  });
}
