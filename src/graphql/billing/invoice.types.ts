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
  description: 'How an invoice stands.',
  valuesConfig: {
    OPEN: { description: 'It is to be paid.' },
    PAID: { description: 'It is paid, or there was nothing left to demand.' },
    VOID: { description: 'It is demanded no more.' },
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
  description: 'What a line of an invoice is for.',
  valuesConfig: {
    PLAN: { description: 'The plan’s fee for the period.' },
    PRORATION: { description: 'What a change of plans made due; negative where more was given back.' },
    USAGE: { description: 'Requests that began in the period.' },
    LATE_USAGE: { description: 'Requests of earlier periods that were stored after their invoice was made.' },
    ALLOWANCE: { description: 'What of the usage the plan includes.' },
    CREDIT: { description: 'What the wallet had; above zero what is kept as credit.' },
    ROUNDING: { description: 'What whole cents add to the exact sum, or leave out.' },
  },
});

@ObjectType({ description: 'A line of an invoice.' })
export class InvoiceLine {
  @Field(() => InvoiceLineKind, { description: 'What the line is for.' })
  kind!: InvoiceLineKind;

  @Field(() => String, { description: 'For people.' })
  description!: string;

  @Field(() => String, { nullable: true, description: 'Of usage: `provider/model`.' })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'Of usage: `chat`, `images` …' })
  capability!: string | null;

  @Field(() => String, {
    nullable: true,
    description: '`token`, `request`, `image`, `audio_second` …; null where nothing is counted.',
  })
  unit!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'How many of the unit.' })
  quantity!: string | null;

  @Field(() => Money, { description: 'Below zero where it takes something off.' })
  amount!: Money;
}

@ObjectType({ implements: Node, description: 'What an account was billed for a period.' })
export class Invoice implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'As it stands on the invoice.' })
  number!: string;

  @Field(() => InvoiceStatus, { description: 'How it stands.' })
  status!: InvoiceStatus;

  @Field(() => DateTime, { description: 'Where its period begins.' })
  periodStart!: Date;

  @Field(() => DateTime, { description: 'Not part of the period.' })
  periodEnd!: Date;

  @Field(() => String, { description: 'The plan that the period ended with, as it was called.' })
  planName!: string;

  @Field(() => Money, { description: 'What is demanded: the sum of the lines.' })
  total!: Money;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it is to be paid by.' })
  dueAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was paid; null while it is not.' })
  paidAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'How it was paid.' })
  paymentReference!: string | null;

  @Field(() => String, { description: 'Where it can be had as a PDF: a path on this server.' })
  pdfUrl!: string;

  /** For the field `lines`; not part of the schema. */
  rowId!: string;
}

@ObjectType({ description: 'An invoice in a page.' })
export class InvoiceEdge {
  @Field(() => Cursor, { description: 'What `after` takes.' })
  cursor!: string;

  @Field(() => Invoice, { description: 'The invoice.' })
  node!: Invoice;
}

@ObjectType({ description: 'A page of invoices, newest first.' })
export class InvoiceConnection {
  @Field(() => [InvoiceEdge], { description: 'With their cursors.' })
  edges!: InvoiceEdge[];

  @Field(() => [Invoice], { description: 'Without them.' })
  nodes!: Invoice[];

  @Field(() => PageInfo, { description: 'Where the page stands among the others.' })
  pageInfo!: PageInfo;
}
