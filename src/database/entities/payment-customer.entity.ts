import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What an account is called by who collects its money. It outlives the account: money may still come in. */
@Entity({ tableName: 'payment_customers' })
export class PaymentCustomer {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  @Property({ type: 'text', unique: true })
  customerId!: string;

  /** What its invoices are collected by; null where there is none, or none any more. */
  @Property({ type: 'text', nullable: true })
  subscriptionId: string | null = null;

  /** The one before, which ended. */
  @Property({ type: 'text', nullable: true })
  endedSubscriptionId: string | null = null;
}
