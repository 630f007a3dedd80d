import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { AlertRule, type AlertKind } from './alert-rule.entity.ts';

export const alertTransitions = ['fired', 'resolved', 'test'] as const;
export type AlertTransition = (typeof alertTransitions)[number];

/** An alert that fired or resolved, or a test notification. Never changed, so that a retried notification is identical. */
@Entity({ tableName: 'alert_events' })
@Index({ properties: ['account', 'createdAt', 'id'] })
@Index({ properties: ['incidentId'] })
export class AlertEvent {
  [OptionalProps]?: 'value' | 'threshold';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Null after its deletion, and for a test. */
  @Index()
  @ManyToOne(() => AlertRule, { nullable: true, deleteRule: 'set null' })
  rule: AlertRule | null = null;

  /** The rule's name at that time. */
  @Property({ type: 'text' })
  ruleName!: string;

  @Property({ type: 'text' })
  kind!: AlertKind;

  @Property({ type: 'text' })
  transition!: AlertTransition;

  /** As in the state. */
  @Property({ type: 'text' })
  subject!: string;

  @Property({ type: 'text' })
  label!: string;

  @Property({ type: 'double', nullable: true })
  value: number | null = null;

  @Property({ type: 'double', nullable: true })
  threshold: number | null = null;

  /** A sentence for people. */
  @Property({ type: 'text' })
  summary!: string;

  /** A path of the dashboard with filters, from `/`. */
  @Property({ type: 'text' })
  path!: string;

  /** The id of the event that fired; its own for one that fired and for a test. */
  @Property({ type: 'uuid' })
  incidentId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
