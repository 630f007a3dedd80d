import type {
  Invoice as InvoiceEntity,
  InvoiceLine as LineEntity,
  InvoiceLineKind as KindName,
  InvoiceStatus as StatusName,
} from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import { InvoiceLineKind, InvoiceStatus, type Invoice, type InvoiceLine } from './invoice.types.ts';

const statuses: Readonly<Record<StatusName, InvoiceStatus>> = {
  open: InvoiceStatus.OPEN,
  paid: InvoiceStatus.PAID,
  void: InvoiceStatus.VOID,
};

const kinds: Readonly<Record<KindName, InvoiceLineKind>> = {
  plan: InvoiceLineKind.PLAN,
  proration: InvoiceLineKind.PRORATION,
  usage: InvoiceLineKind.USAGE,
  late_usage: InvoiceLineKind.LATE_USAGE,
  allowance: InvoiceLineKind.ALLOWANCE,
  credit: InvoiceLineKind.CREDIT,
  rounding: InvoiceLineKind.ROUNDING,
};

export function toInvoice(row: InvoiceEntity): Invoice {
  const { id, number, status, periodStart, periodEnd, planName, totalNano } = row;
  const { createdAt, dueAt, paidAt, paymentReference } = row;
  return {
    id: toGlobalId('Invoice', id),
    number,
    status: statuses[status],
    periodStart,
    periodEnd,
    planName,
    total: usd(totalNano),
    createdAt,
    dueAt,
    paidAt,
    paymentReference,
    pdfUrl: `/invoices/${number}.pdf`,
    rowId: id,
  };
}

export function toInvoiceLine(row: Omit<LineEntity, 'invoice' | 'position'>): InvoiceLine {
  const { kind, description, model, capability, unit, quantity, amountNano } = row;
  return { kind: kinds[kind], description, model, capability, unit, quantity, amount: usd(amountNano) };
}
