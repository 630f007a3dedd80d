import { SINCE, type ChangeWatch } from '../../database/change-watch.ts';

/** Reports accounts whose plan another process changed. @returns a function that stops watching */
export function watchPlanChanges(changes: Pick<ChangeWatch, 'add'>, changed: (accountId: string) => void): () => void {
  return changes.add<{ account_id: string }>({
    select: `select id, account_id from plan_changes where created_at > ${SINCE}`,
    changed: ({ account_id: accountId }) => changed(accountId),
  });
}
