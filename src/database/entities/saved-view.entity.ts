import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { User } from './user.entity.ts';

/** Pages of the dashboard with views. */
export const savedViewPages = ['analytics', 'usage_logs'] as const;
export type SavedViewPage = (typeof savedViewPages)[number];

/** A page of the dashboard with its filters, under a name. */
@Entity({ tableName: 'saved_views' })
export class SavedView {
  [OptionalProps]?: 'isShared' | 'createdAt' | 'updatedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Who created it. Nobody else sees it unless it is shared. */
  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  owner!: User;

  @Property({ type: 'text' })
  name!: string;

  @Enum({ items: () => [...savedViewPages], type: 'text' })
  page!: SavedViewPage;

  /** The query of the page’s URL with its question mark; empty for none. */
  @Property({ type: 'text' })
  search!: string;

  /** Whether all members of the account see it. */
  @Property({ type: 'boolean', default: false })
  isShared: boolean = false;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  updatedAt!: Date;
}
