import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { CachedAccount } from './budget-loader.ts';
import type { BudgetIdOf } from './known-budget.ts';

const subjects = ['key', 'member', 'account', 'allowance'] as const;

/**
 * A key with its previous budgets while those of its account are loaded: if none of its own changed, and the store has them.
 * Null where its request has to wait.
 */
export function unchangedBudgets(
  { before, changed, isLost }: Pick<CachedAccount, 'before' | 'changed' | 'isLost'>,
  key: KeyRecord,
  idOf: BudgetIdOf,
): KeyRecord | null {
  if (before === null || changed === null) return null;
  const spender = { accountId: key.accountId, keyId: key.id, memberId: key.memberId };
  if (subjects.some((subject) => changed.has(idOf(subject, spender)))) return null;
  if (key.plan.overage === 'refuse' && before.allowance === null) return null;
  const known = before.of(key);
  return isLost && known.budgets.length > 0 ? null : known;
}
