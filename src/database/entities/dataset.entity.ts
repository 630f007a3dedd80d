import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** A named list of copies of logged requests. */
@Entity({ tableName: 'datasets' })
@Index({
  name: 'datasets_by_account',
  expression: 'create index datasets_by_account on datasets (account_id, created_at desc, id desc)',
})
export class Dataset {
  [OptionalProps]?: 'id' | 'nextPosition';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  name!: string;

  /** The position of the next item; never used again after the item is removed. */
  @Property({ type: 'integer', default: 1 })
  nextPosition: number = 1;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When it was renamed, or its items changed. */
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
