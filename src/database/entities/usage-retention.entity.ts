import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** From when on an account's rows of the usage log are whole: older ones were removed. Roll-ups and ledger keep what they told. */
@Entity({ tableName: 'usage_retention' })
export class UsageRetentionMark {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** A day's beginning in UTC. */
  @Property({ type: 'datetime', length: 3 })
  keptFrom!: Date;
}
