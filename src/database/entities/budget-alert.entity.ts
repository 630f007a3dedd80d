import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Budget } from './budget.entity.ts';

/** A budget reached one of its thresholds in a period: reported once per amount, whichever process detects it. */
@Entity({ tableName: 'budget_alerts' })
@Unique({ properties: ['budget', 'periodStart', 'percent', 'amountNano'] })
export class BudgetAlert {
  [OptionalProps]?: 'createdAt' | 'toldAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Budget, { deleteRule: 'cascade' })
  budget!: Budget;

  /** 1970 for a budget without a period. */
  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  @Property({ type: 'smallint' })
  percent!: number;

  /** The amounts when the threshold was reached, so that a retried alert is identical. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;

  @Property({ type: new BigIntType('bigint') })
  spentNano!: bigint;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When its event was queued for the account's webhooks; null until then. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  toldAt: Date | null = null;
}
