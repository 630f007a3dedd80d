import { useMemo, useState, type ReactNode } from 'react';
import { useChange, useRead } from '../../data/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { money } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { useTell } from '../../design/toast.tsx';
import {
  CancelPlanChangeDocument,
  ChangePlanDocument,
  PeriodSpendDocument,
  PlansDocument,
  type PlanPartsFragment,
  type PlansQuery,
} from '../../generated/graphql.ts';
import { usePowers } from '../../shell/powers.ts';
import { Day, Period } from '../../shell/day.tsx';
import { Budgets } from './budgets.tsx';
import { PlanCard } from './plan-card.tsx';

export function PlanPage(): ReactNode {
  const { data, failure, again } = useRead(PlansDocument, {});
  const [wanted, setWanted] = useState<PlanPartsFragment | null>(null);
  const { may, whoMay } = usePowers();
  const mayChange = may('plan.change');
  return (
    <Page title="Plan" lead="What the account may use, what that costs, and where it stops.">
      {failure ? <Failed failure={failure} again={again} /> : null}
      {data === null && !failure ? <SkeletonRows rows={8} /> : null}
      {data ? (
        <>
          <RunningPeriod account={data.account} onCancelled={again} />
          <Section title="Plans">
            {mayChange ? null : <p className="text-soft">Only {whoMay('plan.change')} can change the plan.</p>}
            <ul className="grid gap-2 md:grid-cols-3">
              {data.plans.map((plan) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  isOwn={plan.id === data.account.plan.id}
                  isNext={plan.id === data.account.pendingPlan?.plan.id}
                  onChoose={mayChange ? () => setWanted(plan) : null}
                />
              ))}
            </ul>
          </Section>
          <Budgets />
        </>
      ) : null}
      <ChangePlan plan={wanted} onClose={() => setWanted(null)} onChanged={again} />
    </Page>
  );
}

function RunningPeriod({
  account,
  onCancelled,
}: {
  readonly account: PlansQuery['account'];
  readonly onCancelled: () => void;
}): ReactNode {
  const { period, plan, pendingPlan } = account;
  const { may } = usePowers();
  const range = useMemo(() => ({ from: period.start, to: period.end }), [period.start, period.end]);
  const { data } = useRead(PeriodSpendDocument, { range });
  const [cancel, pending] = useChange(CancelPlanChangeDocument);
  const tell = useTell();
  const spent = data?.usage.total.cost.amount;
  const allowance = Number(plan.allowance.amount);
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
      {allowance > 0 && spent !== undefined ? (
        <div className="flex max-w-80 flex-col gap-0.5">
          <Meter
            label="Allowance used"
            used={Number(spent)}
            most={allowance}
            text={`${money(spent)} of ${money(allowance)}`}
          />
          <span className="figures text-small text-soft">
            {money(spent)} of the {money(allowance)} that the plan includes
          </span>
        </div>
      ) : null}
      {pendingPlan ? (
        <div className="flex flex-wrap items-center gap-1.5">
          <Badge tone="accent">Next</Badge>
          <span>
            {pendingPlan.plan.name} from <Day at={pendingPlan.at} /> on.
          </span>
          {may('plan.change') ? (
            <Button
              pending={pending}
              onClick={() =>
                void cancel({}).then(({ failure }) => {
                  if (failure) tell.failed(failure);
                  else {
                    tell.done('The plan stays as it is.');
                    onCancelled();
                  }
                })
              }
            >
              Keep {plan.name}
            </Button>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

function ChangePlan({
  plan,
  onClose,
  onChanged,
}: {
  readonly plan: PlanPartsFragment | null;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): ReactNode {
  const [change, pending] = useChange(ChangePlanDocument);
  const tell = useTell();
  const run = async (id: string): Promise<void> => {
    const { data, failure } = await change({ plan: id });
    onClose();
    if (failure) tell.failed(failure);
    else {
      const { pending: isLater, to, amount } = data.changePlan;
      const price = Number(amount.amount);
      tell.done(
        isLater
          ? `${to.name} begins with the next period.`
          : `The account is on ${to.name} now${price === 0 ? '' : `; ${money(amount.amount)} for the rest of this period`}.`,
      );
      onChanged();
    }
  };
  return (
    <Dialog
      open={plan !== null}
      onClose={onClose}
      title={`Change to ${plan?.name ?? ''}?`}
      description="A larger plan begins at once, and only the rest of this period is charged. A smaller one begins with the next period."
    >
      <div className="flex justify-end gap-1">
        <Button onClick={onClose}>Leave it</Button>
        <Button look="primary" pending={pending} onClick={() => (plan ? void run(plan.id) : undefined)}>
          Change the plan
        </Button>
      </div>
    </Dialog>
  );
}
