import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The start of an account's complete usage log: older rows were removed. Roll-ups and the ledger still include them. */
@Entity({ tableName: 'usage_retention' })
export class UsageRetentionMark {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** The start of a day in UTC. */
  @Property({ type: 'datetime', length: 3 })
  keptFrom!: Date;
}
