import { randomUUID } from 'node:crypto';
import { BigIntType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A file that a client sends in parts. It is a file once it is completed. */
@Entity({ tableName: 'uploads' })
export class Upload {
  [OptionalProps]?: 'id' | 'createdAt' | 'status' | 'fileSeconds';

  /** Random; its public id is `upload_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'text' })
  filename!: string;

  @Property({ type: 'text' })
  purpose!: string;

  /** What its parts must have together. */
  @Property({ type: new BigIntType('number') })
  bytes!: number;

  /** It is expired where it is pending beyond `expiresAt`. */
  @Property({ type: 'text', default: 'pending' })
  status: 'pending' | 'completed' | 'cancelled' = 'pending';

  /** How long the file is kept; null for the default of its purpose. */
  @Property({ type: 'integer', nullable: true })
  fileSeconds: number | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
