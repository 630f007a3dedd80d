import type { ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { localDate, money } from '../../design/format.ts';
import { Dialog } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  ChangePlanDocument,
  PlanChangePreviewDocument,
  type PlanChangePreviewQuery,
  type PlanPartsFragment,
} from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { capabilitiesOf, feeOf, includedOf, limitsOf, markupOf, overageOf, retentionOf } from './plan-facts.ts';

type Preview = PlanChangePreviewQuery['planChangePreview'];

/** Shows cost, date and effects of the change, and asks for confirmation. */
export function ChangePlan({
  plan,
  onClose,
  onChanged,
}: {
  readonly plan: PlanPartsFragment;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): ReactNode {
  const { data, failure, refetch } = useQuery(PlanChangePreviewDocument, { plan: plan.id }, { policy: 'network-only' });
  const [change, pending] = useMutation(ChangePlanDocument);
  const toast = useToast();
  const day = useDay();
  const preview = data?.planChangePreview ?? null;
  const run = async (): Promise<void> => {
    const result = await change({ plan: plan.id });
    onClose();
    if (result.failure) toast.failed(result.failure);
    else {
      const { pending: isLater, to, at } = result.data.changePlan;
      toast.done(isLater ? `The plan changes to ${to.name} on ${day(at)}.` : `The account is now on ${to.name}.`);
      onChanged();
    }
  };
  return (
    <Dialog open onClose={onClose} title={`Change to ${plan.name}?`}>
      <div className="flex flex-col gap-2">
        {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
        {preview ? <Consequences preview={preview} /> : failure ? null : <SkeletonRows rows={5} />}
        <div className="flex flex-wrap justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={preview === null} pending={pending} onClick={() => void run()}>
            {preview === null
              ? 'Change plan'
              : preview.pending
                ? `Change on ${day(preview.at)}`
                : `Change to ${plan.name} now`}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Consequences({ preview }: { readonly preview: Preview }): ReactNode {
  const { from, to, at, pending, amount, renewsAt, includedUsage, canReturn } = preview;
  const day = useDay();
  const due = Number(amount.amount);
  const differences = differencesOf(from, to);
  return (
    <>
      <Facts
        facts={[
          ['Price', `${feeOf(to)}, now ${feeOf(from)}`],
          ['Takes effect', pending ? `On ${day(at)}, when this period ends` : 'Now'],
          [
            'Prorated charge',
            due === 0
              ? 'None for this period'
              : due > 0
                ? `${money(due)} for the rest of this period, on your next invoice`
                : `${money(-due)} credit for the rest of this period, on your next invoice`,
          ],
          ...(Number(to.fee.amount) > 0
            ? [['Next full charge', `${money(to.fee.amount)} on ${day(renewsAt)}`] as const]
            : []),
          [
            'Included usage',
            pending || Number(includedUsage.amount) === Number(to.allowance.amount)
              ? includedOf(to)
              : `${money(includedUsage.amount)} until ${day(renewsAt)}, then ${includedOf(to)}`,
          ],
        ]}
      />
      {differences.length > 0 ? (
        <table className="figures w-full border-collapse text-left text-small">
          <caption className="sr-only">What changes</caption>
          <thead className="text-soft">
            <tr>
              <th className="h-3 font-normal">What changes</th>
              <th className="px-1 font-normal">{from.name}</th>
              <th className="font-normal">{to.name}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(([name, before, after]) => (
              <tr key={name} className="border-t border-line align-top">
                <th scope="row" className="py-0.5 font-normal text-soft">
                  {name}
                </th>
                <td className="px-1 py-0.5">{before}</td>
                <td className="py-0.5">{after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {pending ? <p>You can cancel this change on this page until {day(at)}.</p> : null}
      {canReturn ? null : (
        <p role="note" className="rounded-medium bg-warn-wash p-1.5 text-warn">
          {from.name} is not offered. After {day(at)} you cannot change back to it yourself. The operator of this server
          can offer it again.
        </p>
      )}
    </>
  );
}

type Difference = readonly [name: string, before: string, after: string];

function differencesOf(from: PlanPartsFragment, to: PlanPartsFragment): readonly Difference[] {
  const [before, after] = [new Map(limitsOf(from)), new Map(limitsOf(to))];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const all: readonly Difference[] = [
    ...names.map((name): Difference => [name, before.get(name) ?? 'No limit', after.get(name) ?? 'No limit']),
    ['Overage', overageOf(from), overageOf(to)],
    ['Capabilities', capabilitiesOf(from), capabilitiesOf(to)],
    ['Markup', markupOf(from), markupOf(to)],
    ['Log retention', retentionOf(from), retentionOf(to)],
  ];
  return all.filter(([, one, other]) => one !== other);
}

/** Formats a time as a date in the account's time zone. */
function useDay(): (at: string) => string {
  const { timeZone } = useViewer().currentAccount;
  return (at) => localDate(at, timeZone);
}
