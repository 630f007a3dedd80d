import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Invoice } from './invoice.entity.ts';

/**
 * `plan`: the fee of the period. `proration`: what a change of plans made due. `usage`: of the period; `late_usage`: of earlier
 * ones, stored after their invoices were made. `allowance`: what of the usage is not billed. `credit`: what the wallet had;
 * above zero what it keeps. `rounding`: to whole cents.
 */
export const invoiceLineKinds = [
  'plan',
  'proration',
  'usage',
  'late_usage',
  'allowance',
  'credit',
  'rounding',
] as const;
export type InvoiceLineKind = (typeof invoiceLineKinds)[number];

/** One line of an invoice, in the order of its position. */
@Entity({ tableName: 'invoice_lines' })
@Check({
  name: 'invoice_lines_kind_check',
  expression: `kind in (${invoiceLineKinds.map((kind) => `'${kind}'`).join(', ')})`,
})
export class InvoiceLine {
  [PrimaryKeyProp]?: ['invoice', 'position'];

  @ManyToOne(() => Invoice, { primary: true, deleteRule: 'cascade' })
  invoice!: Invoice;

  /** From 1 on. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  kind!: InvoiceLineKind;

  @Property({ type: 'text' })
  description!: string;

  /** Of usage: `provider/model`. */
  @Property({ type: 'text', nullable: true })
  model: string | null = null;

  /** Of usage. */
  @Property({ type: 'text', nullable: true })
  capability: string | null = null;

  /** What is counted: `token`, `request`, `image`, `audio_second` …; null where nothing is. */
  @Property({ type: 'text', nullable: true })
  unit: string | null = null;

  /** A decimal; null where nothing is counted. */
  @Property({ type: 'decimal', columnType: 'numeric', nullable: true })
  quantity: string | null = null;

  /** Nano-USD; below zero what is taken off. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;
}
