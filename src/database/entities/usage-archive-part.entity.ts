import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** One verified file of the archive of a month. Its rows are a range in the order of account, time and event. */
@Entity({ tableName: 'usage_archive_parts' })
export class UsageArchivePart {
  [PrimaryKeyProp]?: ['month', 'number'];

  @PrimaryKey({ type: 'datetime', length: 3 })
  month!: Date;

  /** From 1, over all runs of the month. */
  @PrimaryKey({ type: 'integer' })
  number!: number;

  /** The bound of its run: see `pendingBefore` of UsageArchive. */
  @Property({ type: 'datetime', length: 3 })
  storedBefore!: Date;

  @Property({ type: new BigIntType('bigint') })
  rows!: bigint;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint') })
  costNano!: bigint;

  /** The size of the file. */
  @Property({ type: new BigIntType('bigint') })
  bytes!: bigint;

  /** Of the file, in hexadecimal. */
  @Property({ type: 'text' })
  sha256!: string;

  @Property({ type: 'uuid' })
  firstAccountId!: string;

  /** With the two below, the position of its last row. */
  @Property({ type: 'uuid' })
  lastAccountId!: string;

  @Property({ type: 'datetime', length: 3 })
  lastBeganAt!: Date;

  @Property({ type: 'uuid' })
  lastEventId!: string;
}
