import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { count, money, words } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { InvoiceDocument, type BillingQuery, type InvoiceLinePartsFragment } from '../../generated/graphql.ts';
import { Day, Period } from '../../shell/day.tsx';
import { useDownload } from '../../shell/download.ts';
import { statusTones } from './status-tones.ts';
import { isUpcomingId, upcomingOf } from './search.ts';

type Upcoming = BillingQuery['upcomingInvoices'][number];

/** An invoice with its lines, or the preview of an upcoming invoice. */
export function InvoiceDrawer({
  id,
  upcoming: allUpcoming,
  onClose,
}: {
  readonly id: string | null;
  /** Null while loading. */
  readonly upcoming: readonly Upcoming[] | null;
  readonly onClose: () => void;
}): ReactNode {
  const isUpcoming = isUpcomingId(id);
  const upcoming = upcomingOf(id, allUpcoming ?? []);
  const download = useDownload();
  const { data, failure, fetching, refetch } = useQuery(
    InvoiceDocument,
    { id: id ?? '' },
    { pause: id === null || isUpcoming },
  );
  // `data` holds the previous invoice until the next one is loaded.
  const invoice = data?.invoice?.id === id ? data.invoice : null;
  const isMissing = data?.invoice === null && !fetching;
  return (
    <Drawer
      open={id !== null}
      onClose={onClose}
      title={isUpcoming ? 'Next invoice' : (invoice?.number ?? 'Invoice')}
      description={isUpcoming ? 'A preview of the next invoice. Nothing is due yet.' : undefined}
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {isUpcoming && upcoming ? (
        <div className="flex flex-col gap-3">
          <Facts
            facts={[
              ['Period', <Period key="period" start={upcoming.periodStart} end={upcoming.periodEnd} />],
              ['Plan', upcoming.planName],
            ]}
          />
          <Lines lines={upcoming.lines} total={upcoming.total.amount} />
          <Requests start={upcoming.periodStart} end={upcoming.periodEnd} />
        </div>
      ) : null}
      {!isUpcoming && invoice ? (
        <div className="flex flex-col gap-3">
          <Facts
            facts={[
              [
                'Status',
                <Badge key="state" tone={statusTones[invoice.status]}>
                  {words(invoice.status)}
                </Badge>,
              ],
              ['Period', <Period key="period" start={invoice.periodStart} end={invoice.periodEnd} />],
              ['Plan', invoice.planName],
              ['Issued', <Day key="issued" at={invoice.createdAt} />],
              ['Due', <Day key="due" at={invoice.dueAt} />],
              ...(invoice.paidAt ? [['Paid', <Day key="paid" at={invoice.paidAt} />] as const] : []),
              ...(invoice.paymentReference ? [['Paid by', invoice.paymentReference] as const] : []),
            ]}
          />
          <Lines lines={invoice.lines} total={invoice.total.amount} />
          <div className="flex flex-wrap gap-1">
            <a href={download(invoice.pdfUrl)} download className={buttonClass('primary')}>
              <Download size={16} aria-hidden /> Download PDF
            </a>
            <Requests start={invoice.periodStart} end={invoice.periodEnd} />
          </div>
        </div>
      ) : null}
      {id !== null && !failure && (isUpcoming ? upcoming === null : invoice === null && !isMissing) ? (
        <SkeletonRows rows={8} />
      ) : null}
      {isMissing && !isUpcoming ? <p>Invoice not found in this account.</p> : null}
    </Drawer>
  );
}

/** The export of the requests behind the lines. */
function Requests({ start, end }: { readonly start: string; readonly end: string }): ReactNode {
  const download = useDownload();
  return (
    <div>
      <a href={download('/exports/usage.csv', { from: start, to: end })} download className={buttonClass('plain')}>
        <Download size={16} aria-hidden /> Requests as CSV
      </a>
    </div>
  );
}

function Lines({
  lines,
  total,
}: {
  readonly lines: readonly InvoiceLinePartsFragment[];
  readonly total: string;
}): ReactNode {
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">Lines</caption>
      <thead className="text-small text-soft">
        <tr>
          <th className="h-4 pr-1 font-normal">Description</th>
          <th className="px-1 text-right font-normal">Quantity</th>
          <th className="pl-1 text-right font-normal">USD</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          <tr key={index} className="border-t border-line align-top">
            <td className="min-w-0 py-1 pr-1 break-words">{line.description}</td>
            <td className="px-1 py-1 text-right whitespace-nowrap text-soft">{quantityOf(line)}</td>
            <td className="py-1 pl-1 text-right whitespace-nowrap">{money(line.amount.amount)}</td>
          </tr>
        ))}
        {lines.length === 0 ? (
          <tr className="border-t border-line">
            <td colSpan={3} className="py-1 text-soft">
              No lines yet.
            </td>
          </tr>
        ) : null}
      </tbody>
      <tfoot>
        <tr className="border-t border-edge">
          <th scope="row" colSpan={2} className="py-1 text-left">
            Total
          </th>
          <td className="py-1 pl-1 text-right font-strong whitespace-nowrap">{money(total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function quantityOf({ quantity, unit }: InvoiceLinePartsFragment): string {
  if (quantity == null || unit == null) return '';
  const number = Number(quantity);
  const name = words(unit).toLowerCase();
  return `${count(number)} ${number === 1 ? name : `${name}s`}`;
}
