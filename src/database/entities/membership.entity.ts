import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { User } from './user.entity.ts';

export const membershipRoles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type MembershipRole = (typeof membershipRoles)[number];

/** A user's role in an account. */
@Entity({ tableName: 'memberships' })
@Unique({ properties: ['user', 'account'] })
export class Membership {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Enum({ items: () => [...membershipRoles], type: 'text' })
  role!: MembershipRole;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
