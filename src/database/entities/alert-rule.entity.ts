import { randomUUID } from 'node:crypto';
import { ArrayType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

export const alertKinds = [
  'spend',
  'error_rate',
  'latency',
  'provider_down',
  'spend_anomaly',
  'key_expiring',
  'budget',
] as const;
export type AlertKind = (typeof alertKinds)[number];

export const alertMeasures = ['duration', 'first_token'] as const;
export type AlertMeasure = (typeof alertMeasures)[number];

/** Which usage a rule observes; all conditions must match. */
export interface AlertFilter {
  readonly model?: string;
  readonly provider?: string;
  readonly apiKeyId?: string;
  readonly capability?: string;
  readonly tag?: { readonly name: string; readonly value: string };
}

/** A condition on an account's usage, providers, keys or budgets, and who is notified. */
@Entity({ tableName: 'alert_rules' })
export class AlertRule {
  [OptionalProps]?:
    | 'minimum'
    | 'windowMinutes'
    | 'percentile'
    | 'measure'
    | 'filter'
    | 'channelIds'
    | 'mutedUntil'
    | 'enabled'
    | 'createdAt'
    | 'changedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  kind!: AlertKind;

  /** In the unit of the kind; see alert-kinds.ts. */
  @Property({ type: 'double' })
  threshold!: number;

  /** Where a firing alert resolves: below the threshold, or above it where a low value fires. */
  @Property({ type: 'double' })
  resolveThreshold!: number;

  /** Requests, or USD for `spend_anomaly`: with less than that, the value is not known. */
  @Property({ type: 'double', default: 0 })
  minimum = 0;

  @Property({ type: 'integer', default: 60 })
  windowMinutes = 60;

  @Property({ type: 'smallint', default: 95 })
  percentile = 95;

  @Property({ type: 'text', default: 'duration' })
  measure: AlertMeasure = 'duration';

  @Property({ type: JsonType, defaultRaw: "'{}'" })
  filter: AlertFilter = {};

  /** Ids of the account's channels. */
  @Property({ type: ArrayType, columnType: 'uuid[]', defaultRaw: "'{}'" })
  channelIds: string[] = [];

  /** Until then nothing is sent; null if it is not muted. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  mutedUntil: Date | null = null;

  @Property({ type: 'boolean', default: true })
  enabled = true;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** An evaluation of an earlier version of the rule changes no state. */
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  changedAt!: Date;
}
