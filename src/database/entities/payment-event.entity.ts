import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A processed event of the payment provider: a second delivery is ignored. Retained permanently, like the postings it made. */
@Entity({ tableName: 'payment_events' })
export class PaymentEvent {
  /** The sender's event id. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  type!: string;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  receivedAt!: Date;
}
