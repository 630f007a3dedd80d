import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Invoice } from './invoice.entity.ts';

/**
 * `plan`: the fee of the period. `proration`: the amount of plan changes. `usage`: usage of the period; `late_usage`: of
 * earlier periods, stored after their invoices were created. `allowance`: usage that the plan includes. `credit`: credit
 * applied; positive for credit added. `rounding`: to whole cents.
 */
const invoiceLineKinds = ['plan', 'proration', 'usage', 'late_usage', 'allowance', 'credit', 'rounding'] as const;
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

  /** From 1. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  kind!: InvoiceLineKind;

  @Property({ type: 'text' })
  description!: string;

  /** For usage: `provider/model`. */
  @Property({ type: 'text', nullable: true })
  model: string | null = null;

  /** For usage. */
  @Property({ type: 'text', nullable: true })
  capability: string | null = null;

  /** The unit of the quantity: `token`, `request`, `image`, `audio_second` …; null for lines without one. */
  @Property({ type: 'text', nullable: true })
  unit: string | null = null;

  /** A decimal; null for lines without one. */
  @Property({ type: 'decimal', columnType: 'numeric', nullable: true })
  quantity: string | null = null;

  /** Nano-USD; negative for deductions. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;
}
