import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** How far an account was billed, whether there was anything to bill or not. Neither moment ever goes back. */
@Entity({ tableName: 'billing_marks' })
export class BillingMark {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** The end of the last period that was closed. */
  @Property({ type: 'datetime', length: 3 })
  closedUntil!: Date;

  /** Usage of those periods that was stored from here on is not billed yet. */
  @Property({ type: 'datetime', length: 3 })
  cutoffAt!: Date;
}
