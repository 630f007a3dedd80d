import type { BudgetView } from '../../services/budgets/budgets.service.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { BudgetPeriod } from './budget.input.ts';
import { BudgetSubject, type BudgetStatus } from './budget.types.ts';

const subjects = { key: BudgetSubject.KEY, member: BudgetSubject.MEMBER, account: BudgetSubject.ACCOUNT } as const;

export function toBudgetStatus(view: BudgetView): BudgetStatus {
  const { known, period, spentNano, reservedNano, remainingNano } = view;
  const { rowId, apiKeyId, member, alertAt, budget } = known;
  const isEndless = budget.period === 'TOTAL';
  return {
    id: toGlobalId('Budget', rowId),
    subject: subjects[budget.subject],
    apiKeyId,
    member: member && { id: toGlobalId('User', member.id), email: member.email, name: member.name },
    amount: usd(budget.amountNano),
    period: BudgetPeriod[budget.period],
    periodStart: isEndless ? null : new Date(period.start),
    periodEnd: isEndless ? null : new Date(period.end),
    spent: usd(spentNano),
    reserved: usd(reservedNano),
    remaining: usd(remainingNano),
    alertAt: [...alertAt],
  };
}
