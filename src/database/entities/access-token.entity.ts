import { randomUUID } from 'node:crypto';
import { ArrayType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { ApiKey } from './api-key.entity.ts';
import { User } from './user.entity.ts';

/** A token that runs as a key for a while. The token itself is known to its holder alone: its id is part of what is signed. */
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

  /** Who made it, and whose budget its spending counts in; null for a key that nobody in particular made. */
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
