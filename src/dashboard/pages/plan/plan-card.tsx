import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { money, words } from '../../design/format.ts';
import type { PlanPartsFragment } from '../../generated/graphql.ts';
import { limitsOf } from './plan-facts.ts';

export function PlanCard({
  plan,
  isOwn,
  isNext,
  onChoose,
}: {
  readonly plan: PlanPartsFragment;
  readonly isOwn: boolean;
  readonly isNext: boolean;
  /** Null without the permission. */
  readonly onChoose: (() => void) | null;
}): ReactNode {
  const { retentionDays } = plan;
  const facts = [
    Number(plan.allowance.amount) === 0
      ? 'No usage included'
      : `${money(plan.allowance.amount)} of usage included per ${plan.period === 'MONTH' ? 'month' : '30 days'}`,
    plan.overage === 'REFUSE'
      ? 'Requests beyond that and your balance are refused'
      : 'Usage beyond that and your balance is billed',
    Number(plan.markup) === 0 ? 'Models at provider prices' : `Models at provider prices plus ${plan.markup}%`,
    ...limitsOf(plan).map(([name, text]) => `${name}: ${text.toLowerCase()}`),
    retentionDays == null ? 'Logs are not deleted' : `Logs kept for ${retentionDays} days`,
    plan.capabilities ? `Only ${plan.capabilities.map(words).join(', ')}` : 'All capabilities',
  ];
  return (
    <li className={`flex flex-col gap-1.5 rounded-large border p-2 ${isOwn ? 'border-accent' : 'border-line'}`}>
      <div className="flex min-h-3 items-center justify-between gap-1">
        <h3 className="text-large">{plan.name}</h3>
        {isOwn ? <Badge tone="accent">Current plan</Badge> : isNext ? <Badge>Next plan</Badge> : null}
      </div>
      <p className="figures">
        <span className="text-huge">{money(plan.fee.amount)}</span>{' '}
        <span className="text-soft">{plan.period === 'MONTH' ? 'per month' : 'per 30 days'}</span>
      </p>
      <ul className="figures flex flex-1 flex-col gap-0.5 text-soft">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {isOwn || isNext || !plan.offered || !onChoose ? null : (
        <div>
          <Button onClick={onChoose}>Change to {plan.name}</Button>
        </div>
      )}
    </li>
  );
}
