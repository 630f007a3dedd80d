import { BigIntType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The archive of one month of the usage log. The rows of all accounts are in it, stored as Parquet files. */
@Entity({ tableName: 'usage_archives' })
export class UsageArchive {
  /** The start of the month in UTC. */
  @PrimaryKey({ type: 'datetime', length: 3 })
  month!: Date;

  /** The folder or bucket that has its files, as an operator writes it. */
  @Property({ type: 'text' })
  location!: string;

  /** Rows of the month that were stored before this time are in the archive; null until it is complete for the first time. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  storedBefore: Date | null = null;

  /** The same for the run that is in progress, or was interrupted. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  pendingBefore: Date | null = null;

  /** Accounts that may have had rows of the month that retention or an erasure removed before the first run. */
  @Property({ type: 'integer', defaultRaw: '0' })
  incompleteAccounts!: number;

  @Property({ type: 'integer', defaultRaw: '0' })
  parts!: number;

  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  rows!: bigint;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  costNano!: bigint;

  /** The size of its files. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  bytes!: bigint;

  /** When it was last completed. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  archivedAt: Date | null = null;

  /** The run that holds the lease. */
  @Property({ type: 'uuid', nullable: true })
  holder: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  heldUntil: Date | null = null;
}
