import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.ts';

/** Replaces a lost authenticator app, once. Only the code's hash is stored. */
@Entity({ tableName: 'recovery_codes' })
export class RecoveryCode {
  [OptionalProps]?: 'createdAt' | 'usedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  @Property({ type: BlobType, hidden: true })
  codeHash!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
