import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileText, Plus, Receipt } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { money, words } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, Skeleton, SkeletonRows } from '../../design/state.tsx';
import {
  BillingDocument,
  InvoicesDocument,
  TopUpOfferDocument,
  type BillingQuery,
  type InvoicePartsFragment,
} from '../../generated/graphql.ts';
import { NotAllowed } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { Day, Period } from '../../shell/day.tsx';
import { useDownload } from '../../shell/download.ts';
import { useViewerQuery } from '../../shell/viewer.ts';
import { InvoiceDrawer } from './invoice-drawer.tsx';
import { upcomingId, type InvoicesSearch } from './search.ts';
import { statusTones } from './status-tones.ts';
import { TopUp } from './top-up.tsx';

const PAGE_SIZE = 25;

export function InvoicesPage(): ReactNode {
  const search = useSearch({ from: '/shell/billing/invoices' });
  const navigate = useNavigate({ from: '/billing/invoices' });
  const { can } = usePermissions();
  const hasTopUpPermission = can('balance.top_up');
  const offer = useQuery(TopUpOfferDocument, {}, { pause: !hasTopUpPermission });
  const canTopUp = hasTopUpPermission && offer.data?.account.canTopUp === true;
  const go = (next: InvoicesSearch): void => void navigate({ search: () => next });
  return (
    <Page
      title="Invoices"
      lead="One invoice per period, with a line for each model."
      actions={
        canTopUp ? (
          <Button icon={<Plus size={16} aria-hidden />} onClick={() => go({ topUp: true })}>
            Top up
          </Button>
        ) : null
      }
    >
      {search.top_up ? (
        <p role="status" className="rounded-medium bg-accent-wash p-2 text-accent">
          {search.top_up === 'paid'
            ? 'Thank you. The credit is added to the balance when the payment service confirms the payment, usually within a minute.'
            : 'The payment was cancelled.'}
        </p>
      ) : null}
      {hasTopUpPermission && offer.data?.account.canTopUp === false ? (
        <p className="text-soft">
          This server has no payment service, so you cannot buy credit here. Your invoices state the amount and the
          reference number. The operator records your payment.
        </p>
      ) : null}
      {can('invoices.read') ? (
        <Billing search={search} go={go} />
      ) : (
        <NotAllowed action="invoices.read" icon={<Receipt size={24} />}>
          Ask an owner of the account for one of these roles. Usage Logs show the cost of each request.
        </NotAllowed>
      )}
      <TopUp open={canTopUp && search.topUp === true} onClose={() => go({})} />
    </Page>
  );
}

function Billing({
  search,
  go,
}: {
  readonly search: InvoicesSearch;
  readonly go: (next: InvoicesSearch) => void;
}): ReactNode {
  const billing = useQuery(BillingDocument, {});
  const { sendsMail } = useViewerQuery().signInOptions;
  const list = usePages(InvoicesDocument, { first: PAGE_SIZE }, ({ invoices }) => invoices);
  const nodes = list.nodes ?? [];
  return (
    <>
      {billing.failure ? <Failed failure={billing.failure} onRetry={billing.refetch} /> : null}
      <CurrentPeriod data={billing.data} isWaiting={billing.failure === null} onOpen={(invoice) => go({ invoice })} />
      <Section title="Issued">
        {list.failure ? <Failed failure={list.failure} onRetry={list.refetch} /> : null}
        {list.nodes === null && !list.failure ? <SkeletonRows rows={4} /> : null}
        {list.nodes?.length === 0 ? (
          <Empty icon={<FileText size={24} />} title="No invoices yet">
            The first invoice is issued when the current period ends
            {sendsMail ? ' and sent by e-mail to owners and billing members' : ''}. Its amount so far is shown above.
          </Empty>
        ) : null}
        {nodes.length > 0 ? (
          <ListTable
            label="Invoices"
            rows={nodes}
            columns={columns}
            keyOf={({ id }) => id}
            nameOf={({ number }) => number}
            under={({ planName }) => planName}
            onOpen={({ id }) => go({ invoice: id })}
          />
        ) : null}
        {list.hasMore ? (
          <div>
            <Button onClick={list.fetchMore}>Show more</Button>
          </div>
        ) : null}
      </Section>
      <InvoiceDrawer
        id={search.invoice ?? null}
        upcoming={billing.data?.upcomingInvoices ?? null}
        onClose={() => go({})}
      />
    </>
  );
}

/** True for an ended period whose invoice is not issued yet, which takes some minutes. */
function hasEnded({ periodEnd }: BillingQuery['upcomingInvoices'][number]): boolean {
  return Date.parse(periodEnd) <= Date.now();
}

function CurrentPeriod({
  data,
  isWaiting,
  onOpen,
}: {
  readonly data: BillingQuery | null;
  readonly isWaiting: boolean;
  readonly onOpen: (invoice: string) => void;
}): ReactNode {
  if (data === null) return isWaiting ? <Skeleton className="h-8 w-full" /> : null;
  const { upcomingInvoices, account } = data;
  const balance = Number(account.balance.amount);
  return (
    <section aria-label="Balance" className="figures flex flex-wrap items-end gap-x-6 gap-y-2">
      <div>
        <div className="text-soft">Balance</div>
        <div className={`text-huge ${balance < 0 ? 'text-bad' : ''}`}>{money(account.balance.amount)}</div>
        <div className="text-small text-soft">
          {balance < 0 ? 'Amount owed so far' : 'Top-ups and credit, less usage not yet invoiced'}
        </div>
      </div>
      {upcomingInvoices.map((upcoming) => (
        <div key={upcoming.periodStart} className="flex flex-wrap items-end gap-x-2 gap-y-1">
          <div>
            <div className="text-soft">
              {hasEnded(upcoming) ? 'Earlier period, not invoiced yet' : 'Current period so far'}
            </div>
            <div className="text-huge">{money(upcoming.total.amount)}</div>
            <div className="text-small text-soft">
              {upcoming.planName}, <Period start={upcoming.periodStart} end={upcoming.periodEnd} />
            </div>
          </div>
          <Button onClick={() => onOpen(upcomingId(upcoming.periodStart))}>View lines</Button>
        </div>
      ))}
    </section>
  );
}

const columns: readonly ListColumn<InvoicePartsFragment>[] = [
  {
    name: 'period',
    title: 'Period',
    from: 'md',
    cell: ({ periodStart, periodEnd }) => <Period start={periodStart} end={periodEnd} />,
  },
  { name: 'due', title: 'Due', from: 'lg', cell: ({ dueAt }) => <Day at={dueAt} /> },
  {
    name: 'total',
    title: 'Total',
    align: 'right',
    cell: ({ total }) => <span className="figures">{money(total.amount)}</span>,
  },
  {
    name: 'state',
    title: 'Status',
    align: 'right',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{words(status)}</Badge>,
  },
  {
    name: 'pdf',
    title: 'PDF',
    align: 'right',
    from: 'md',
    cell: (invoice) => <PdfLink invoice={invoice} />,
  },
];

function PdfLink({ invoice: { pdfUrl, number } }: { readonly invoice: InvoicePartsFragment }): ReactNode {
  const download = useDownload();
  return (
    <a
      href={download(pdfUrl)}
      download
      aria-label={`Invoice ${number} as a PDF`}
      className="relative z-10 text-accent underline underline-offset-2"
    >
      PDF
    </a>
  );
}
