import type { Period } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { StoredPlan } from '../../database/entities/index.ts';
import { readStoredPlan, type BilledPlan } from '../plans/billed-plan.ts';
import type { BilledAccount, RecordedChange } from './billing-period.ts';

/** An account with the data of its next invoice. Times in milliseconds since the epoch. */
export interface AccountToBill extends BilledAccount {
  readonly id: string;
  readonly name: string;
  /** Usage of closed periods that was stored from this time on is not billed; null if no period was closed. */
  readonly cutoffAt: number | null;
  readonly pendingPlanAt: number | null;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly time_zone: string;
  readonly created_ms: string;
  readonly plan_since_ms: string;
  readonly pending_ms: string | null;
  readonly closed_ms: string | null;
  readonly cutoff_ms: string | null;
  readonly begun_with: StoredPlan | null;
  readonly erased_ms: string | null;
  readonly changes: readonly ChangeRow[] | null;
  readonly deletions: readonly { from: number; to: number | null }[] | null;
}

interface ChangeRow {
  readonly from: string;
  readonly to: string;
  readonly from_terms: StoredPlan | null;
  readonly to_terms: StoredPlan | null;
  readonly at: number;
  readonly amount: string;
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

const selected = `
select account.id, account.name, account.plan, account.time_zone, ${ms('account.created_at')} as created_ms,
  ${ms('account.plan_since')} as plan_since_ms, ${ms('account.pending_plan_at')} as pending_ms,
  ${ms('mark.closed_until')} as closed_ms, ${ms('mark.cutoff_at')} as cutoff_ms, mark.begun_with,
  ${ms('account.erased_after')} as erased_ms, changes.list as changes, deletions.list as deletions
from accounts as account left join billing_marks as mark on mark.account_id = account.id
left join lateral (
  select json_agg(
    json_build_object(
      'from', from_plan, 'to', to_plan, 'from_terms', from_terms, 'to_terms', to_terms,
      'at', ${ms('effective_at')}, 'amount', amount_nano::text
    )
    order by effective_at, created_at, id
  ) as list
  from plan_changes where plan_changes.account_id = account.id
) as changes on true
left join lateral (
  select json_agg(json_build_object('from', ${ms('deleted_at')}, 'to', ${ms('restored_at')}) order by deleted_at) as list
  from account_deletions where account_deletions.account_id = account.id
) as deletions on true`;

/** Accounts after an id, in the order of ids. Omits accounts that are billed up to their erasure. */
export async function accountsAfter(
  database: Database,
  after: string,
  limit: number,
): Promise<readonly AccountToBill[]> {
  const sql = `${selected} where account.id > $1 and account.erased_at is null
    and (account.erased_after is null or mark.closed_until is null or mark.closed_until < account.erased_after)
    order by account.id limit $2`;
  return (await database.query<Row>(sql, [after, limit])).map(readRow);
}

export async function accountToBill(database: Database, id: string): Promise<AccountToBill | null> {
  const [row] = await database.query<Row>(`${selected} where account.id = $1`, [id]);
  return row === undefined ? null : readRow(row);
}

/** Locks the account's plan and billing until the transaction ends. */
export async function lockAccountToBill(client: SqlClient, id: string): Promise<AccountToBill | null> {
  // Only the next statement sees what was committed while this one waited.
  await client.query('select 1 from accounts where id = $1 for update', [id]);
  const { rows } = await client.query<Row>(`${selected} where account.id = $1`, [id]);
  const [row] = rows;
  return row === undefined ? null : readRow(row);
}

function readRow(row: Row): AccountToBill {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    timeZone: row.time_zone,
    createdAt: Number(row.created_ms),
    planSince: Number(row.plan_since_ms),
    pendingPlanAt: momentOf(row.pending_ms),
    closedUntil: momentOf(row.closed_ms),
    cutoffAt: momentOf(row.cutoff_ms),
    begunWith: planOf(row.begun_with),
    erasedAfter: momentOf(row.erased_ms),
    changes: (row.changes ?? []).map(readChange),
    deletions: (row.deletions ?? []).map(({ from, to }): Period => ({ start: from, end: to ?? Infinity })),
  };
}

function readChange({ from, to, from_terms, to_terms, at, amount }: ChangeRow): RecordedChange {
  return {
    fromPlan: from,
    toPlan: to,
    from: planOf(from_terms),
    to: planOf(to_terms),
    effectiveAt: at,
    amountNano: BigInt(amount),
  };
}

function planOf(stored: StoredPlan | null): BilledPlan | null {
  return stored && readStoredPlan(stored);
}

function momentOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
