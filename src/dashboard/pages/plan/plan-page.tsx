import { useMemo, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { money } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  CancelPlanChangeDocument,
  PeriodSpendDocument,
  PlansDocument,
  type PlanPartsFragment,
  type PlansQuery,
} from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { Day, Period } from '../../shell/day.tsx';
import { Budgets } from './budgets.tsx';
import { ChangePlan } from './change-plan.tsx';
import { PlanCard } from './plan-card.tsx';

export function PlanPage(): ReactNode {
  const { data, failure, refetch } = useQuery(PlansDocument, {});
  const [selectedPlan, setSelectedPlan] = useState<PlanPartsFragment | null>(null);
  const { can, rolesAllowedTo } = usePermissions();
  const canChange = can('plan.change');
  return (
    <Page title="Plan" lead="The account’s plan with its price and limits, and its budgets.">
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data === null && !failure ? <SkeletonRows rows={8} /> : null}
      {data ? (
        <>
          <CurrentPeriod account={data.account} onCancelled={refetch} />
          <Section title="Plans">
            {canChange ? null : <p className="text-soft">Only {rolesAllowedTo('plan.change')} can change the plan.</p>}
            <ul className="grid gap-2 md:grid-cols-3">
              {data.plans.map((plan) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  isOwn={plan.id === data.account.plan.id}
                  isNext={plan.id === data.account.pendingPlan?.plan.id}
                  onChoose={canChange ? () => setSelectedPlan(plan) : null}
                />
              ))}
            </ul>
          </Section>
          <Budgets />
        </>
      ) : null}
      {selectedPlan ? (
        <ChangePlan plan={selectedPlan} onClose={() => setSelectedPlan(null)} onChanged={refetch} />
      ) : null}
    </Page>
  );
}

function CurrentPeriod({
  account,
  onCancelled,
}: {
  readonly account: PlansQuery['account'];
  readonly onCancelled: () => void;
}): ReactNode {
  const { period, plan, pendingPlan } = account;
  const { can } = usePermissions();
  const range = useMemo(() => ({ from: period.start, to: period.end }), [period.start, period.end]);
  const { data } = useQuery(PeriodSpendDocument, { range });
  const [cancel, pending] = useMutation(CancelPlanChangeDocument);
  const toast = useToast();
  const spent = data?.usage.total.cost.amount;
  const included = Number(account.includedUsage.amount);
  return (
    <section aria-label="This period" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <div>
          <div className="text-soft">Plan</div>
          <div className="flex items-center gap-1 text-large font-strong">{plan.name}</div>
        </div>
        <div>
          <div className="text-soft">Spent in this period</div>
          <div className="figures text-large font-strong">{spent === undefined ? '…' : money(spent)}</div>
        </div>
        <div>
          <div className="text-soft">Period</div>
          <div className="text-large">
            <Period start={period.start} end={period.end} />
          </div>
        </div>
      </div>
      {included > 0 && spent !== undefined ? (
        <div className="flex max-w-80 flex-col gap-0.5">
          <Meter
            label="Included usage"
            used={Number(spent)}
            max={included}
            text={`${money(spent)} of ${money(included)}`}
          />
          <span className="figures text-small text-soft">
            {money(spent)} of the {money(included)} included in this period
            {included < Number(plan.allowance.amount) ? `: the prorated part of ${money(plan.allowance.amount)}` : null}
          </span>
        </div>
      ) : null}
      {pendingPlan ? (
        <div className="flex flex-wrap items-center gap-1.5">
          <Badge tone="accent">Pending change</Badge>
          <span>
            The plan changes to {pendingPlan.plan.name} on <Day at={pendingPlan.at} />. You can cancel the change until
            then.
          </span>
          {can('plan.change') ? (
            <Button
              pending={pending}
              onClick={() =>
                void cancel({}).then(({ failure }) => {
                  if (failure) toast.failed(failure);
                  else {
                    toast.done(`Change cancelled. The account stays on ${plan.name}.`);
                    onCancelled();
                  }
                })
              }
            >
              Cancel change
            </Button>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}
