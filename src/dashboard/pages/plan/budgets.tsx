import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input, Select } from '../../design/field.tsx';
import { FormFailure, useFieldError } from '../../design/form-failure.tsx';
import { money, words } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import { Dialog } from '../../design/overlay.tsx';
import { Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  BudgetsDocument,
  RemoveBudgetDocument,
  SetAccountBudgetDocument,
  type BudgetPartsFragment,
  type BudgetPeriod,
} from '../../generated/graphql.ts';
import { Day } from '../../shell/day.tsx';
import { usePermissions } from '../../shell/permissions.ts';

const periods: readonly BudgetPeriod[] = ['DAY', 'WEEK', 'MONTH', 'TOTAL'];
const periodTexts: Readonly<Record<BudgetPeriod, string>> = {
  DAY: 'per day',
  WEEK: 'per week',
  MONTH: 'per month',
  TOTAL: 'in total',
};

/** The budgets of the account, its members and its keys. The account's budget is set here, a key's in the key's settings. */
export function Budgets(): ReactNode {
  const { data, failure, refetch } = useQuery(BudgetsDocument, {});
  const [isSetting, setSetting] = useState(false);
  const { can } = usePermissions();
  const canWrite = can('budgets.write');
  const accountBudget = data?.budgets.find(({ subject }) => subject === 'ACCOUNT');
  return (
    <Section
      title="Budgets"
      beside={
        canWrite ? (
          <Button icon={accountBudget ? null : <Plus size={16} aria-hidden />} onClick={() => setSetting(true)}>
            {accountBudget ? 'Change account budget' : 'Set account budget'}
          </Button>
        ) : null
      }
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data === null && !failure ? <SkeletonRows rows={3} /> : null}
      {data?.budgets.length === 0 ? (
        <p className="text-soft">
          No budgets are set. A budget is a hard limit. Requests that could exceed it are refused, even when many run
          concurrently.
        </p>
      ) : null}
      <ul className="flex flex-col">
        {data?.budgets.map((budget) => (
          <Row key={budget.id} budget={budget} onRemoved={canWrite ? refetch : null} />
        ))}
      </ul>
      <SetBudget
        accountBudget={accountBudget ?? null}
        open={isSetting}
        onClose={() => setSetting(false)}
        onSet={refetch}
      />
    </Section>
  );
}

function Row({
  budget,
  onRemoved,
}: {
  readonly budget: BudgetPartsFragment;
  /** Null without the permission to remove it. */
  readonly onRemoved: (() => void) | null;
}): ReactNode {
  const [remove, pending] = useMutation(RemoveBudgetDocument);
  const toast = useToast();
  const { spent, amount, reserved, period, periodEnd, alertAt } = budget;
  const text = `${money(spent.amount)} of ${money(amount.amount)} ${periodTexts[period]}`;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 border-t border-line py-1.5 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <div className="min-w-0">
        <div className="wrap-anywhere">
          <Subject budget={budget} />
        </div>
        <div className="text-small text-soft">
          {periodEnd ? (
            <>
              Resets on <Day at={periodEnd} />
            </>
          ) : (
            'Does not reset'
          )}
          {alertAt.length > 0 ? `, alerts at ${alertAt.map((each) => `${each}%`).join(', ')}` : ''}
        </div>
      </div>
      <div className="figures flex flex-col gap-0.5 max-md:col-span-2 max-md:row-start-2">
        <span className="text-small">
          {text}
          {Number(reserved.amount) > 0 ? (
            <span className="text-soft">, {money(reserved.amount)} reserved by running requests</span>
          ) : null}
        </span>
        <Meter
          label="Spent"
          used={Number(spent.amount) + Number(reserved.amount)}
          max={Number(amount.amount)}
          text={text}
        />
      </div>
      {onRemoved ? (
        <Button
          variant="quiet"
          pending={pending}
          onClick={() =>
            void remove({ id: budget.id }).then(({ failure }) => {
              if (failure) toast.failed(failure);
              else onRemoved();
            })
          }
        >
          Remove
        </Button>
      ) : null}
    </li>
  );
}

function Subject({ budget: { subject, apiKey, member } }: { readonly budget: BudgetPartsFragment }): ReactNode {
  if (subject === 'ACCOUNT') return 'Account';
  if (subject === 'MEMBER' || !apiKey) return member?.name ?? 'A member';
  return (
    <Link to="/keys" search={{ key: apiKey.id }} className="text-accent underline underline-offset-2">
      {apiKey.name}
    </Link>
  );
}

function SetBudget({
  accountBudget,
  open,
  onClose,
  onSet,
}: {
  readonly accountBudget: BudgetPartsFragment | null;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onSet: () => void;
}): ReactNode {
  const [set, pending] = useMutation(SetAccountBudgetDocument);
  const [error, setError] = useState<Failure | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const amount = String(form.get('amount')).trim();
    const period = periods.find((each) => each === form.get('period')) ?? 'MONTH';
    const alertAt = String(form.get('alertAt'))
      .split(',')
      .filter((each) => each.trim() !== '')
      .map(Number);
    const { failure } = await set({ budget: { amount, period, alertAt } });
    if (failure) setError(failure);
    else {
      onClose();
      onSet();
    }
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Account budget"
      description="Shared by all API keys and members of the account."
    >
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(new FormData(event.currentTarget));
        }}
      >
        <FormFailure failure={error}>
          <BudgetFields accountBudget={accountBudget} />
        </FormFailure>
        {error && !hasField(error.param) ? <Failed failure={error} /> : null}
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" pending={pending}>
            Set budget
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function BudgetFields({ accountBudget }: { readonly accountBudget: BudgetPartsFragment | null }): ReactNode {
  return (
    <>
      <div className="grid gap-1.5 md:grid-cols-2">
        <Input
          label="Amount (USD)"
          name="amount"
          error={useFieldError(isOfAmount)}
          required
          inputMode="decimal"
          pattern="\d+(\.\d{1,9})?"
          defaultValue={accountBudget?.amount.amount}
        />
        <Select label="Period" name="period" defaultValue={accountBudget?.period ?? 'MONTH'}>
          {periods.map((period) => (
            <option key={period} value={period}>
              {period === 'TOTAL' ? 'Total' : words(period)}
            </option>
          ))}
        </Select>
      </div>
      <Input
        label="Alert at, in percent"
        name="alertAt"
        error={useFieldError(isOfAlerts)}
        pattern="\s*(\d+\s*(,\s*\d+\s*)*)?"
        defaultValue={accountBudget?.alertAt.join(', ') ?? '80, 100'}
        hint="Separate with commas."
      />
    </>
  );
}

function hasField(param = ''): boolean {
  return isOfAmount(param) || isOfAlerts(param);
}

function isOfAmount(param: string): boolean {
  return param === 'amount';
}

function isOfAlerts(param: string): boolean {
  return param.startsWith('alertAt');
}
