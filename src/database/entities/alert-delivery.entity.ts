import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { AlertChannel, type AlertChannelKind } from './alert-channel.entity.ts';
import { AlertEvent } from './alert-event.entity.ts';

/** A notification of one event for one channel: stored with the event, then sent by a job. */
@Entity({ tableName: 'alert_deliveries' })
@Unique({ properties: ['event', 'channel', 'recipient'] })
@Index({
  name: 'alert_deliveries_due',
  expression: 'create index alert_deliveries_due on alert_deliveries (retry_at) where retry_at is not null',
})
export class AlertDelivery {
  [OptionalProps]?: 'attempts' | 'lastStatus' | 'lastFailure' | 'attemptedAt' | 'retryAt' | 'deliveredAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => AlertEvent, { deleteRule: 'cascade' })
  event!: AlertEvent;

  /** Null after its deletion. */
  @Index()
  @ManyToOne(() => AlertChannel, { nullable: true, deleteRule: 'set null' })
  channel: AlertChannel | null = null;

  @Property({ type: 'text' })
  channelName!: string;

  @Property({ type: 'text' })
  channelKind!: AlertChannelKind;

  /** The address of an e-mail; empty for other kinds. */
  @Property({ type: 'text' })
  recipient!: string;

  @Property({ type: 'integer', default: 0 })
  attempts = 0;

  /** HTTP status of the last attempt; null if there was no response. */
  @Property({ type: 'smallint', nullable: true })
  lastStatus: number | null = null;

  /** Why the last attempt failed, for people; contains nothing from the response. */
  @Property({ type: 'text', nullable: true })
  lastFailure: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  attemptedAt: Date | null = null;

  /** No attempt is made before this time. Null when it is delivered or given up. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  deliveredAt: Date | null = null;
}
