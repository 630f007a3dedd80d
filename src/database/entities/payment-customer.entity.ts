import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The payment provider's ids of an account. It outlives the account: payments may still arrive. */
@Entity({ tableName: 'payment_customers' })
export class PaymentCustomer {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  @Property({ type: 'text', unique: true })
  customerId!: string;

  /** The subscription that collects its invoices; null if there is none. */
  @Property({ type: 'text', nullable: true })
  subscriptionId: string | null = null;

  /** The previous subscription, which ended. */
  @Property({ type: 'text', nullable: true })
  endedSubscriptionId: string | null = null;
}
