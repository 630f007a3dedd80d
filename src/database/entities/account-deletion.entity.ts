import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A deletion of an account, and its restoration if any: no fee is charged for the time between. */
@Entity({ tableName: 'account_deletions' })
@Index({ properties: ['account', 'deletedAt'] })
export class AccountDeletion {
  [OptionalProps]?: 'restoredAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'datetime', length: 3 })
  deletedAt!: Date;

  /** Null while the account is deleted, and after it was erased. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  restoredAt: Date | null = null;
}
