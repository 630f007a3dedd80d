import { randomUUID } from 'node:crypto';
import { BigIntType, BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** Metadata of a stored file; its bytes are in the blob folder, under its id, or in the bucket. */
@Entity({ tableName: 'blobs' })
export class Blob {
  [OptionalProps]?: 'account' | 'createdAt' | 'expiresAt' | 'objectKey';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** Null if the file belongs to the server itself. */
  @Index()
  @ManyToOne(() => Account, { nullable: true, deleteRule: 'set null' })
  account: Account | null = null;

  @Property({ type: 'text' })
  contentType!: string;

  /** Bytes. */
  @Property({ type: new BigIntType('number') })
  size!: number;

  @Property({ type: BlobType })
  sha256!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** Null: it does not expire. */
  @Index()
  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  /** Of its object in the bucket, below `S3_PREFIX`. Null: it is in the blob folder. */
  @Property({ type: 'text', nullable: true })
  objectKey: string | null = null;
}
