import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../data/hooks.ts';
import { money } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { OverviewBudgetsDocument, type OverviewBudgetsQuery } from '../../generated/graphql.ts';

type Budget = OverviewBudgetsQuery['budgets'][number];

const SHOWN = 5;

/** Budgets, the nearest to its end first. */
export function NearLimits(): ReactNode {
  const { data, failure, again } = useRead(OverviewBudgetsDocument, {});
  const budgets = data?.budgets.toSorted((one, other) => shareOf(other) - shareOf(one)).slice(0, SHOWN);
  return (
    <Section
      title="Near a limit"
      beside={
        <Link to="/billing/plan" className="text-accent underline underline-offset-2">
          Budgets
        </Link>
      }
    >
      {failure ? <Failed failure={failure} again={again} /> : null}
      {budgets === undefined && !failure ? <SkeletonRows rows={2} /> : null}
      {budgets?.length === 0 ? (
        <p className="text-soft">
          No budget is set. A budget stops spending where you say; without one, only the plan’s limits hold.
        </p>
      ) : null}
      <ul className="flex flex-col gap-2">
        {budgets?.map((budget) => (
          <li key={budget.id} className="flex flex-col gap-0.5">
            <div className="figures flex flex-wrap justify-between gap-x-2">
              <span className="min-w-0 truncate">{nameOf(budget)}</span>
              <span className="text-soft">
                {money(budget.spent.amount)} of {money(budget.amount.amount)}
              </span>
            </div>
            <Meter
              label={nameOf(budget)}
              used={Number(budget.spent.amount)}
              most={Number(budget.amount.amount)}
              text={`${money(budget.spent.amount)} of ${money(budget.amount.amount)}`}
            />
            {budget.periodEnd ? (
              <span className="text-small text-soft">
                begins anew <Time at={budget.periodEnd} as="relative" />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function shareOf({ spent, amount }: Budget): number {
  return Number(amount.amount) === 0 ? 1 : Number(spent.amount) / Number(amount.amount);
}

function nameOf({ subject, apiKey, member }: Budget): string {
  if (subject === 'ACCOUNT') return 'The account';
  return subject === 'KEY' ? `Key ${apiKey?.name ?? ''}` : (member?.name ?? 'A member');
}
