import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useQuery, type QueryResult } from '../../data/graphql/hooks.ts';
import { money } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { OverviewLimitsDocument, type OverviewLimitsQuery } from '../../generated/graphql.ts';
import { Day } from '../../shell/day.tsx';
import { useViewer } from '../../shell/viewer.ts';

type Budget = OverviewLimitsQuery['budgets'][number];

/** In USD. */
interface Limit {
  readonly id: string;
  readonly name: string;
  readonly spent: number;
  readonly amount: number;
  /** When it resets. */
  readonly until: string | null;
}

const MAX_SHOWN = 5;

/** The data of `NearLimits`, read by the page so that it can refresh it. */
export function useNearLimits(): QueryResult<OverviewLimitsQuery> {
  const { start, end } = useViewer().currentAccount.period;
  const period = useMemo(() => ({ from: start, to: end }), [start, end]);
  return useQuery(OverviewLimitsDocument, { period });
}

/** Budgets and included usage, the most used first. */
export function NearLimits({ query }: { readonly query: QueryResult<OverviewLimitsQuery> }): ReactNode {
  const { end } = useViewer().currentAccount.period;
  const { data, failure, refetch } = query;
  const limits = data
    ? [...allowanceOf(data, end), ...data.budgets.map(limitOf)]
        .toSorted((one, other) => shareOf(other) - shareOf(one))
        .slice(0, MAX_SHOWN)
    : null;
  return (
    <Section
      title="Budgets and limits"
      beside={
        <Link to="/billing/plan" className="text-accent underline underline-offset-2">
          Budgets
        </Link>
      }
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {limits === null && !failure ? <SkeletonRows rows={2} /> : null}
      {data?.budgets.length === 0 ? (
        <p className="text-soft">
          No budgets are set. A budget is a hard limit on spend. Without one, only the plan’s limits apply.
        </p>
      ) : null}
      <ul className="flex flex-col gap-2">
        {limits?.map((limit) => (
          <Row key={limit.id} limit={limit} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ limit: { name, spent, amount, until } }: { readonly limit: Limit }): ReactNode {
  const text = `${money(spent)} of ${money(amount)}`;
  return (
    <li className="flex flex-col gap-0.5">
      <div className="figures flex flex-wrap justify-between gap-x-2">
        <span className="min-w-0 wrap-anywhere">{name}</span>
        <span className="text-soft">{text}</span>
      </div>
      <Meter label={name} used={spent} max={amount} text={text} />
      {until ? (
        <span className="text-small text-soft">
          Resets on <Day at={until} />
        </span>
      ) : null}
    </li>
  );
}

/** Empty when the plan includes no usage. */
function allowanceOf({ account, usage }: OverviewLimitsQuery, until: string): Limit[] {
  const amount = Number(account.includedUsage.amount);
  const spent = Number(usage.total.cost.amount);
  return amount > 0 ? [{ id: 'allowance', name: 'Included usage', spent, amount, until }] : [];
}

function limitOf(budget: Budget): Limit {
  const { id, spent, amount, periodEnd } = budget;
  return {
    id,
    name: nameOf(budget),
    spent: Number(spent.amount),
    amount: Number(amount.amount),
    until: periodEnd ?? null,
  };
}

function shareOf({ spent, amount }: Limit): number {
  return amount === 0 ? 1 : spent / amount;
}

function nameOf({ subject, apiKey, member }: Budget): string {
  if (subject === 'ACCOUNT') return 'Account';
  return subject === 'KEY' ? `Key ${apiKey?.name ?? ''}` : (member?.name ?? 'A member');
}
