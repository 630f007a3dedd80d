import { randomUUID } from 'node:crypto';
import { ArrayType, BigIntType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { BudgetPeriod } from '../../calendar/period.ts';
import type { BudgetSubject } from '../../gateway/keys/spend-bound.ts';
import { Account } from './account.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { User } from './user.entity.ts';

/** Days, weeks and months start in the account's time zone. */
const storedBudgetPeriods = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const satisfies readonly BudgetPeriod[];
const storedBudgetSubjects = ['key', 'member', 'account'] as const satisfies readonly BudgetSubject[];

/**
 * The amount that an account, a member or a key may spend in a period. Removed budgets stay, so that other processes notice
 * the removal.
 */
@Entity({ tableName: 'budgets' })
@Index({
  name: 'budgets_one_live',
  expression:
    'create unique index budgets_one_live on budgets (account_id, subject, coalesce(api_key_id, member_id, account_id)) where removed_at is null',
})
@Check({
  name: 'budgets_subject_is_named',
  expression: "(subject = 'key') = (api_key_id is not null) and (subject = 'member') = (member_id is not null)",
})
@Check({ name: 'budgets_amount_is_positive', expression: 'amount_nano > 0' })
export class Budget {
  [OptionalProps]?: 'apiKey' | 'member' | 'alertAt' | 'createdAt' | 'changedAt' | 'removedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Enum({ items: () => [...storedBudgetSubjects], type: 'text' })
  subject!: BudgetSubject;

  @ManyToOne(() => ApiKey, { nullable: true, deleteRule: 'cascade' })
  apiKey: ApiKey | null = null;

  @ManyToOne(() => User, { nullable: true, deleteRule: 'cascade' })
  member: User | null = null;

  @Property({ type: new BigIntType('bigint') })
  amountNano!: bigint;

  @Enum({ items: () => [...storedBudgetPeriods], type: 'text' })
  period!: BudgetPeriod;

  /** Percentages of the amount at which an alert is sent. */
  @Property({ type: new ArrayType((text) => Number(text)), columnType: 'smallint[]', defaultRaw: "'{80,100}'" })
  alertAt: number[] = [80, 100];

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** By the database's clock; also set on removal. */
  @Index()
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  changedAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  removedAt: Date | null = null;
}
