import type { Database } from '../../database/database.ts';
import { Budget as BudgetEntity } from '../../database/entities/index.ts';
import type { budgetId } from '../../gateway/limits/budget.ts';
import type { Budget } from '../../gateway/keys/spend-bound.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** The data plane's name for the budget of a subject. */
export type BudgetIdOf = typeof budgetId;

/** A budget with its settings and its form in the data plane. */
export interface KnownBudget {
  readonly rowId: string;
  readonly apiKeyId: string | null;
  readonly member: { readonly id: string; readonly email: string; readonly name: string } | null;
  /** Percentages, ascending. */
  readonly alertAt: readonly number[];
  readonly budget: Budget;
}

/** An account's active budgets, without those of revoked keys. @throws SluiceError database_unavailable */
export async function readBudgets(database: Database, idOf: BudgetIdOf, accountId: string): Promise<KnownBudget[]> {
  const live = { account: accountId, removedAt: null, $or: [{ apiKey: null }, { apiKey: { revokedAt: null } }] };
  const rows = await mapDatabaseErrors(() =>
    database
      .em()
      .find(BudgetEntity, live, { populate: ['account', 'member'], orderBy: { createdAt: 'asc', id: 'asc' } }),
  );
  return rows.map((row) => known(row, idOf));
}

/** Accounts with budgets. @throws SluiceError database_unavailable */
export async function accountsWithBudgets(database: Database): Promise<readonly string[]> {
  const rows = await mapDatabaseErrors(() =>
    database.query<{ account_id: string }>('select distinct account_id from budgets where removed_at is null'),
  );
  return rows.map(({ account_id: accountId }) => accountId);
}

/** A budget that was changed or removed. */
export interface BudgetChange {
  readonly accountId: string;
  readonly budgetId: string;
  /** By the database's clock. */
  readonly at: string;
}

interface ChangedRow {
  readonly id: string;
  readonly account_id: string;
  readonly subject: BudgetEntity['subject'];
  readonly api_key_id: string | null;
  readonly member_id: string | null;
  readonly changed_at: string;
}

/** The last change of each budget that was changed recently, by its row. @throws SluiceError database_unavailable */
export async function changedBudgets(
  database: Database,
  idOf: BudgetIdOf,
  withinMs: number,
): Promise<ReadonlyMap<string, BudgetChange>> {
  const rows = await mapDatabaseErrors(() =>
    database.query<ChangedRow>(
      `select id, account_id, subject, api_key_id, member_id, changed_at::text as changed_at from budgets
       where changed_at > clock_timestamp() - $1 * interval '1 millisecond'`,
      [withinMs],
    ),
  );
  return new Map(
    rows.map(({ id, account_id: accountId, subject, api_key_id: keyId, member_id: memberId, changed_at: at }) => [
      id,
      { accountId, budgetId: idOf(subject, { accountId, keyId: keyId ?? '', memberId }), at },
    ]),
  );
}

function known(row: BudgetEntity, idOf: BudgetIdOf): KnownBudget {
  const { id: rowId, account, subject, apiKey, member, amountNano, period, alertAt } = row;
  const spender = { accountId: account.id, keyId: apiKey?.id ?? '', memberId: member?.id ?? null };
  return Object.freeze({
    rowId,
    apiKeyId: apiKey?.id ?? null,
    member: member && { id: member.id, email: member.email, name: member.name },
    alertAt: alertAt.toSorted((a, b) => a - b),
    budget: Object.freeze({
      id: idOf(subject, spender),
      subject,
      accountId: account.id,
      amountNano,
      period,
      timeZone: account.timeZone,
    }),
  });
}
