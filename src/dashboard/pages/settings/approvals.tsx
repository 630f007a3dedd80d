import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { Button } from '../../design/button.tsx';
import { Section } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  AccountsToApproveDocument,
  ApproveAccountDocument,
  type AccountsToApproveQuery,
} from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer, useViewerQuery } from '../../shell/viewer.ts';

const PAGE_SIZE = 50;

type UnapprovedAccount = AccountsToApproveQuery['accountsToApprove']['nodes'][number];

/** For the operator: accounts that signed up and may not use the server's provider credentials yet. */
export function Approvals(): ReactNode {
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  return currentAccount.isOperator && can('accounts.approve') ? <List /> : null;
}

function List(): ReactNode {
  const { sendsMail } = useViewerQuery().signInOptions;
  const unapproved = usePages(AccountsToApproveDocument, { first: PAGE_SIZE }, (data) => data.accountsToApprove);
  return (
    <Section title="Accounts to approve">
      <p className="text-soft">
        New accounts that cannot use your providers yet.{' '}
        {sendsMail
          ? 'An account gets access when an owner confirms their e-mail address or you approve it.'
          : 'An account gets access when you approve it.'}{' '}
        Providers connected with the account’s own API keys, and sandbox models if enabled, work without approval.
      </p>
      {unapproved.failure ? <Failed failure={unapproved.failure} onRetry={unapproved.refetch} /> : null}
      {unapproved.nodes === null && !unapproved.failure ? <SkeletonRows rows={2} /> : null}
      {unapproved.nodes?.length === 0 ? <p>No accounts are waiting for approval.</p> : null}
      {unapproved.nodes && unapproved.nodes.length > 0 ? (
        <ul aria-label="Accounts to approve" className="flex flex-col">
          {unapproved.nodes.map((account) => (
            <Row key={account.accountId} account={account} onApproved={unapproved.refetch} />
          ))}
        </ul>
      ) : null}
      {unapproved.hasMore ? (
        <div>
          <Button onClick={unapproved.fetchMore}>Show more</Button>
        </div>
      ) : null}
    </Section>
  );
}

function Row({
  account,
  onApproved,
}: {
  readonly account: UnapprovedAccount;
  readonly onApproved: () => void;
}): ReactNode {
  const { accountId, name, owners, createdAt } = account;
  const [approve] = useMutation(ApproveAccountDocument);
  const [pending, setPending] = useState(false);
  const toast = useToast();
  const run = async (): Promise<void> => {
    setPending(true);
    const { failure } = await approve({ id: accountId });
    setPending(false);
    if (failure) toast.failed(failure);
    else {
      toast.done(`${name} can use your providers.`);
      onApproved();
    }
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 border-t border-line py-1.5">
      <div className="min-w-24 flex-1">
        <div className="font-strong wrap-anywhere">{name}</div>
        <div className="wrap-anywhere text-soft">
          {owners.join(', ')}, signed up <Time at={createdAt} as="relative" />
        </div>
      </div>
      <Button pending={pending} onClick={() => void run()} aria-label={`Approve ${name}`}>
        Approve
      </Button>
    </li>
  );
}
