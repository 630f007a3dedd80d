import { randomUUID } from 'node:crypto';
import { ArrayType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { User } from './user.entity.ts';

/** A temporary token that runs as a key. It is not stored: its id is part of what is signed. */
@Entity({ tableName: 'access_tokens' })
@Index({ properties: ['apiKey', 'createdAt', 'id'] })
@Index({ properties: ['account', 'createdAt', 'id'] })
@Index({
  name: 'access_tokens_revoked',
  expression: 'create index access_tokens_revoked on access_tokens (revoked_at) where revoked_at is not null',
})
export class AccessToken {
  [OptionalProps]?: 'createdAt' | 'createdBy' | 'revokedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @ManyToOne(() => ApiKey, { deleteRule: 'cascade' })
  apiKey!: ApiKey;

  @Property({ type: ArrayType, columnType: 'text[]' })
  scopes!: string[];

  /** Its creator, whose budget its spending counts toward; null if the key belongs to no member. */
  @ManyToOne(() => User, { nullable: true, deleteRule: 'cascade' })
  createdBy: User | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
