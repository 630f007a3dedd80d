import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A file that a client uploaded, or that a batch wrote. Its bytes are a blob. */
@Entity({ tableName: 'files' })
@Index({
  name: 'files_by_account',
  expression: 'create index files_by_account on files (account_id, created_at desc, id desc)',
})
@Index({ name: 'files_by_expiry', expression: 'create index files_by_expiry on files (expires_at)' })
export class StoredFile {
  [OptionalProps]?: 'id' | 'createdAt' | 'expiresAt';

  /** Random; its public id is `file-` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  /** The blob with its bytes. */
  @Property({ type: 'uuid' })
  blobId!: string;

  @Property({ type: 'text' })
  filename!: string;

  /** As OpenAI names it: `batch`, `user_data`, … */
  @Property({ type: 'text' })
  purpose!: string;

  @Property({ type: new BigIntType('number') })
  bytes!: number;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** Null: until it is deleted. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;
}
