import { localDay } from '../../../calendar/period.ts';
import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { Mail } from '../../../mail/mail.ts';
import { shownName } from '../../../mail/shown-name.ts';

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

/** @param publicUrl the public origin of this server */
export function invoiceMail(invoice: IssuedInvoice, to: string, publicUrl: string): Mail {
  const { number, planName, timeZone, periodStart, periodEnd, dueAt } = invoice;
  const accountName = shownName(invoice.accountName);
  const total = `${centsText(invoice.totalNano)} USD`;
  const first = localDay(timeZone, periodStart.getTime());
  const last = localDay(timeZone, periodEnd.getTime() - 1);
  return {
    to,
    subject: `Invoice ${number}: ${total}`,
    text: `Invoice ${number} for ${accountName} is available.

  Period  ${first} to ${last}
  Plan    ${planName}
  Total   ${total}
  Due     ${localDay(timeZone, dueAt.getTime())}

${publicUrl}/invoices/${number}.pdf

You receive this because you are an owner or billing member of ${accountName}.
`,
  };
}

/** Formats a whole number of cents: `16.50`. */
function centsText(nano: bigint): string {
  const [whole = '0', fraction = ''] = formatUsd(nano).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
