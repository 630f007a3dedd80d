import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Budget } from './budget.entity.ts';

/** That a budget has passed one of its thresholds in a period: told once for each amount, whichever process saw it. */
@Entity({ tableName: 'budget_alerts' })
@Unique({ properties: ['budget', 'periodStart', 'percent', 'amountNano'] })
export class BudgetAlert {
  [OptionalProps]?: 'createdAt' | 'toldAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Budget, { deleteRule: 'cascade' })
  budget!: Budget;

  /** 1970 for a budget that has no period. */
  @Property({ type: 'datetime', length: 3 })
  periodStart!: Date;

  @Property({ type: 'smallint' })
  percent!: number;

  /** As they were when it was passed: what is told is the same however often it is told. */
  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;

  @Property({ type: new BigIntType('bigint') })
  spentNano!: bigint;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When it was handed to the account's webhooks; null until then. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  toldAt: Date | null = null;
}
