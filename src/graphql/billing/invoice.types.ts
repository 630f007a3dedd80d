import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Node } from '../relay/node.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { Money } from '../scalars/money.type.ts';

export enum InvoiceStatus {
  OPEN = 'open',
  PAID = 'paid',
  VOID = 'void',
}
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'The status of an invoice.',
  valuesConfig: {
    OPEN: { description: 'Awaiting payment.' },
    PAID: { description: 'Paid, or nothing was due.' },
    VOID: { description: 'Cancelled. No payment is due.' },
  },
});

export enum InvoiceLineKind {
  PLAN = 'plan',
  PRORATION = 'proration',
  USAGE = 'usage',
  LATE_USAGE = 'late_usage',
  ALLOWANCE = 'allowance',
  CREDIT = 'credit',
  ROUNDING = 'rounding',
}
registerEnumType(InvoiceLineKind, {
  name: 'InvoiceLineKind',
  description: 'The type of an invoice line.',
  valuesConfig: {
    PLAN: { description: 'The plan’s fee for the period.' },
    PRORATION: { description: 'Prorated fees after a change of plan. Negative for a credit.' },
    USAGE: { description: 'Requests that started in the period.' },
    LATE_USAGE: { description: 'Requests of earlier periods that were stored after their invoice was created.' },
    ALLOWANCE: { description: 'Usage that the plan includes.' },
    CREDIT: { description: 'Wallet balance used. Positive if credit is carried over.' },
    ROUNDING: { description: 'Rounding of the exact sum to whole cents.' },
  },
});

@ObjectType({ description: 'A line of an invoice.' })
export class InvoiceLine {
  @Field(() => InvoiceLineKind, { description: 'Type of the line.' })
  kind!: InvoiceLineKind;

  @Field(() => String, { description: 'Human-readable description.' })
  description!: string;

  @Field(() => String, { nullable: true, description: 'For usage: `provider/model`.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'For usage: `chat`, `images` …' })
  capability!: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`token`, `request`, `image`, `audio_second` … Null if nothing is counted.',
  })
  unit!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Quantity in `unit`.' })
  quantity!: string | null;

  @Field(() => Money, { description: 'Amount of the line. Negative for a deduction.' })
  amount!: Money;
}

@ObjectType({ implements: Node, description: 'An invoice of the account for one period.' })
export class Invoice implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The invoice number.' })
  number!: string;

  @Field(() => InvoiceStatus, { description: 'Current status.' })
  status!: InvoiceStatus;

  @Field(() => DateTime, { description: 'Start of the period.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'End of the period, exclusive.' })
  periodEnd!: Date;

  @Field(() => String, { description: 'Name of the plan at the end of the period.' })
  planName!: string;

  @Field(() => Money, { description: 'Amount due: the sum of the lines.' })
  total!: Money;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'Payment due date.' })
  dueAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the invoice was paid. Null if it is unpaid.' })
  paidAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Reference of the payment.' })
  paymentReference!: string | null;

  @Field(() => String, { description: 'Path of the PDF on this server.' })
  pdfUrl!: string;

  /** For the field `lines`; not part of the schema. */
  rowId!: string;
}

@ObjectType({ description: 'An invoice with its cursor.' })
export class InvoiceEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Invoice, { description: 'The invoice.' })
  node!: Invoice;
}

@ObjectType({ description: 'A page of invoices, newest first.' })
export class InvoiceConnection {
  @Field(() => [InvoiceEdge], { description: 'The items with their cursors.' })
  edges!: InvoiceEdge[];

  @Field(() => [Invoice], { description: 'The items without their cursors.' })
  nodes!: Invoice[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
