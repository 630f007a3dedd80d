import { BlobType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A single-use value of a browser that was used. Stored until it would have expired. */
@Entity({ tableName: 'spent_tokens' })
export class SpentToken {
  @PrimaryKey({ type: BlobType })
  tokenHash!: Buffer;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
