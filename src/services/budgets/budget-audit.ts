import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit } from '../../database/audit/record.ts';
import type { AuditValue } from '../../database/entities/index.ts';

/** The recorded fields of a budget. */
export interface AuditedBudget {
  readonly id: string;
  readonly subject: string;
  readonly fields: Readonly<Record<string, AuditValue>>;
}

type By = 'id' | 'api_key_id' | 'member_id' | 'account_id';

const conditions: Readonly<Record<By, string>> = {
  id: 'id = ?',
  api_key_id: 'api_key_id = ?',
  member_id: 'member_id = ?',
  account_id: "subject = 'account' and account_id = ?",
};

/** Locked until the transaction ends, so that the recorded previous values are the replaced ones. Null if there is none. */
export async function liveBudget(
  em: EntityManager,
  accountId: string,
  by: By,
  id: string,
): Promise<AuditedBudget | null> {
  const [row] = await em.execute<
    {
      id: string;
      subject: string;
      api_key_id: string | null;
      member_id: string | null;
      amount: string;
      period: string;
      alert_at: string;
    }[]
  >(
    `select id, subject, api_key_id, member_id, amount_nano::text as amount, period, array_to_string(alert_at, ',') as alert_at
     from budgets where account_id = ? and removed_at is null and ${conditions[by]} for update`,
    [accountId, id],
  );
  if (row === undefined) return null;
  const { subject, api_key_id: apiKey, member_id: member, amount: amountNano, period, alert_at: alerts } = row;
  const alertAt = alerts === '' ? [] : alerts.split(',').map(Number);
  return { id: row.id, subject, fields: { subject, apiKey, member, amountNano, period, alertAt } };
}

/** Budgets are stored by SQL statements, which the unit of work does not see. */
export function recordBudget(
  em: EntityManager,
  accountId: string,
  before: AuditedBudget | null,
  after: AuditedBudget | null,
): void {
  const budget = after ?? before;
  if (budget === null) return;
  const changes = Object.keys(budget.fields)
    .map((field) => ({ field, before: before?.fields[field] ?? null, after: after?.fields[field] ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  if (changes.length === 0) return;
  const action = before === null ? 'budget.created' : after === null ? 'budget.removed' : 'budget.updated';
  recordAudit(em, { accountId, action, target: { type: 'budget', id: budget.id, label: budget.subject }, changes });
}
