import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { count, money, words } from '../../design/format.ts';
import type { PlanPartsFragment } from '../../generated/graphql.ts';

export function PlanCard({
  plan,
  isOwn,
  isNext,
  onChoose,
}: {
  readonly plan: PlanPartsFragment;
  readonly isOwn: boolean;
  readonly isNext: boolean;
  /** Null for who may not. */
  readonly onChoose: (() => void) | null;
}): ReactNode {
  const { limits } = plan;
  const facts = [
    `${money(plan.allowance.amount)} of usage included`,
    plan.overage === 'REFUSE'
      ? 'Beyond that and your balance, requests are refused'
      : 'What goes beyond that is billed',
    Number(plan.markup) === 0 ? 'Models at the provider’s price' : `Models at the provider’s price and ${plan.markup}%`,
    limits.requestsPerMinute ? `${count(limits.requestsPerMinute)} requests a minute` : 'Requests without limit',
    limits.tokensPerMinute ? `${count(limits.tokensPerMinute)} tokens a minute` : 'Tokens without limit',
    limits.requestsPerDay ? `${count(limits.requestsPerDay)} requests a day` : null,
    limits.concurrency ? `${count(limits.concurrency)} at once` : null,
    limits.apiKeys ? `${count(limits.apiKeys)} API keys` : null,
    plan.retentionDays == null ? 'Logs kept for good' : `Logs kept for ${count(plan.retentionDays)} days`,
    plan.capabilities ? `Only ${plan.capabilities.map(words).join(', ')}` : 'Every kind of model',
  ].filter((each) => each !== null);
  return (
    <li className={`flex flex-col gap-1.5 rounded-large border p-2 ${isOwn ? 'border-accent' : 'border-line'}`}>
      <div className="flex min-h-3 items-center justify-between gap-1">
        <h3 className="text-large">{plan.name}</h3>
        {isOwn ? <Badge tone="accent">Yours</Badge> : isNext ? <Badge>Next</Badge> : null}
      </div>
      <p className="figures">
        <span className="text-huge">{money(plan.fee.amount)}</span>{' '}
        <span className="text-soft">{plan.period === 'MONTH' ? 'a month' : 'for 30 days'}</span>
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
