import { BlobType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** What a browser kept for one use, and has used. Kept until it would have expired anyway. */
@Entity({ tableName: 'spent_tokens' })
export class SpentToken {
  @PrimaryKey({ type: BlobType })
  tokenHash!: Buffer;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
