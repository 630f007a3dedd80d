import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.ts';

/** A signed-in browser. Only the token's hash is stored. */
@Entity({ tableName: 'sessions' })
@Index({
  name: 'sessions_revoked',
  expression: 'create index sessions_revoked on sessions (revoked_at) where revoked_at is not null',
})
export class Session {
  [OptionalProps]?: 'createdAt' | 'lastSeenAt' | 'address' | 'userAgent' | 'revokedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  @Property({ type: BlobType, unique: true, hidden: true })
  tokenHash!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  lastSeenAt!: Date;

  /** The client's address at sign-in. */
  @Property({ type: 'text', nullable: true })
  address: string | null = null;

  @Property({ type: 'text', nullable: true })
  userAgent: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
