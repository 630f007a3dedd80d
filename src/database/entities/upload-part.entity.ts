import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { Upload } from './upload.entity.ts';

/** Some bytes of an upload, as a blob. Removed once the upload is completed or cancelled. */
@Entity({ tableName: 'upload_parts' })
export class UploadPart {
  [OptionalProps]?: 'id' | 'createdAt';

  /** Random; its public id is `part_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Index()
  @ManyToOne(() => Upload, { deleteRule: 'cascade' })
  upload!: Upload;

  @Property({ type: 'uuid' })
  blobId!: string;

  @Property({ type: new BigIntType('number') })
  bytes!: number;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
