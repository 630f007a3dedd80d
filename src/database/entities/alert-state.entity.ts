import { PrimaryKeyProp } from '@mikro-orm/core';
import { Check, Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { AlertRule } from './alert-rule.entity.ts';

/** What a rule last found of one subject. Updated by conditional statements only, see transitions.ts. */
@Entity({ tableName: 'alert_states', readonly: true })
@Check({ name: 'alert_states_firing_has_incident', expression: 'is_firing = (incident_id is not null)' })
export class AlertState {
  [PrimaryKeyProp]?: ['rule', 'subject'];

  @ManyToOne(() => AlertRule, { primary: true, deleteRule: 'cascade' })
  rule!: AlertRule;

  /** The provider, key or budget; empty for the entire account. */
  @PrimaryKey({ type: 'text' })
  subject!: string;

  /** Its name, for people. */
  @Property({ type: 'text' })
  label!: string;

  @Property({ type: 'boolean' })
  isFiring!: boolean;

  /** Null if it is not known. */
  @Property({ type: 'double', nullable: true })
  value: number | null = null;

  /** The time of the evaluation: an earlier one changes nothing. */
  @Property({ type: 'datetime', length: 3 })
  evaluatedAt!: Date;

  /** When it began to fire, or resolved. */
  @Property({ type: 'datetime', length: 3 })
  changedAt!: Date;

  /** The event that fired; null unless it fires. */
  @Property({ type: 'uuid', nullable: true })
  incidentId: string | null = null;

  /** Whether notifications of the incident were created: not while the rule is muted. */
  @Property({ type: 'boolean', default: false })
  isNotified = false;
}
