import { localDay } from '../../calendar/period.ts';
import { formatUsd } from '../../catalogue/price.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';

export interface IssuedInvoice {
  readonly number: string;
  readonly accountName: string;
  readonly planName: string;
  /** IANA. */
  readonly timeZone: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly dueAt: Date;
  readonly totalNano: bigint;
}

/** @param publicUrl where people reach this server: an origin */
export function invoiceMail(invoice: IssuedInvoice, to: string, publicUrl: string): Mail {
  const { number, planName, timeZone, periodStart, periodEnd, dueAt } = invoice;
  const accountName = shownName(invoice.accountName);
  const total = `${centsText(invoice.totalNano)} USD`;
  const first = localDay(timeZone, periodStart.getTime());
  const last = localDay(timeZone, periodEnd.getTime() - 1);
  return {
    to,
    subject: `Invoice ${number}: ${total}`,
    text: `The invoice ${number} of ${accountName} is there.

  Period  ${first} to ${last}
  Plan    ${planName}
  Total   ${total}
  Due     ${localDay(timeZone, dueAt.getTime())}

${publicUrl}/invoices/${number}.pdf

You are told since you are an owner of ${accountName}, or look after its bills.
`,
  };
}

/** Of whole cents: `16.50`. */
function centsText(nano: bigint): string {
  const [whole = '0', fraction = ''] = formatUsd(nano).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
