import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** An event of who collects money, that was heeded: a second delivery is none. Kept for ever, as what it booked is. */
@Entity({ tableName: 'payment_events' })
export class PaymentEvent {
  /** As its sender names it. */
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  type!: string;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  receivedAt!: Date;
}
