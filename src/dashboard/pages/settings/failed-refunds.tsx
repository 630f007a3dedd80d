import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { Button } from '../../design/button.tsx';
import { money } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { FailedRefundsDocument, RetryRefundDocument, type FailedRefundsQuery } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';

const PAGE_SIZE = 50;

type Refund = FailedRefundsQuery['failedRefunds']['nodes'][number];

/** For the operator: refunds that failed at Stripe. Renders nothing when there are none. */
export function FailedRefunds(): ReactNode {
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  return currentAccount.isOperator && can('refunds.retry') ? <List /> : null;
}

function List(): ReactNode {
  const failed = usePages(FailedRefundsDocument, { first: PAGE_SIZE }, (data) => data.failedRefunds);
  const refunds = failed.nodes ?? [];
  if (refunds.length === 0 && !failed.failure) return null;
  return (
    <Section title="Failed refunds">
      <p className="text-soft">
        Stripe could not pay these out. The amounts were withdrawn from the balances and are in your Stripe balance.
        Retrying creates a new refund of the same payment.
      </p>
      {failed.failure ? <Failed failure={failed.failure} onRetry={failed.refetch} /> : null}
      {refunds.length > 0 ? (
        <ul aria-label="Failed refunds" className="flex flex-col">
          {refunds.map((refund) => (
            <Row key={refund.refundId} refund={refund} onRetried={failed.refetch} />
          ))}
        </ul>
      ) : null}
      {failed.hasMore ? (
        <div>
          <Button onClick={failed.fetchMore}>Show more</Button>
        </div>
      ) : null}
    </Section>
  );
}

function Row({ refund, onRetried }: { readonly refund: Refund; readonly onRetried: () => void }): ReactNode {
  const { refundId, accountName, amount, reason, failedAt } = refund;
  const [retry] = useMutation(RetryRefundDocument);
  const [pending, setPending] = useState(false);
  const toast = useToast();
  const sum = money(amount.amount);
  const run = async (): Promise<void> => {
    setPending(true);
    const { failure } = await retry({ id: refundId });
    setPending(false);
    if (failure) toast.failed(failure);
    else {
      toast.done(`Stripe refunds ${sum} to ${accountName} again.`);
      onRetried();
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 border-t border-line py-1.5">
      <div className="min-w-24 flex-1">
        <div className="font-strong wrap-anywhere">
          {sum} to {accountName}
        </div>
        <div className="text-soft wrap-anywhere">
          {refundId}, failed <Time at={failedAt} as="relative" />
          {reason === null ? null : `: ${reason.replaceAll('_', ' ')}`}
        </div>
      </div>
      <Button pending={pending} onClick={() => void run()} aria-label={`Retry refund of ${sum} to ${accountName}`}>
        Retry refund
      </Button>
    </li>
  );
}
