import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** An account that has, or had, provider connections or routes: notifies other processes of their changes. */
@Entity({ tableName: 'connected_accounts' })
export class ConnectedAccount {
  [PrimaryKeyProp]?: 'account';

  @ManyToOne(() => Account, { primary: true, deleteRule: 'cascade' })
  account!: Account;

  /** Incremented with each change. */
  @Property({ type: new BigIntType('number') })
  revision!: number;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  changedAt!: Date;
}
