import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { membershipRoles, type MembershipRole } from './membership.entity.ts';
import { User } from './user.entity.ts';

/** An invitation to an account by a mailed link. Only the token's hash is stored. */
@Entity({ tableName: 'invitations' })
@Index({
  name: 'invitations_one_open',
  expression:
    'create unique index invitations_one_open on invitations (account_id, email) where accepted_at is null and revoked_at is null',
})
export class Invitation {
  [OptionalProps]?: 'createdAt' | 'invitedBy' | 'acceptedAt' | 'revokedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** In lower case, like a user's. */
  @Property({ type: 'text' })
  email!: string;

  @Enum({ items: () => [...membershipRoles], type: 'text' })
  role!: MembershipRole;

  /** SHA-256 of the last token that was sent. */
  @Property({ type: BlobType, unique: true, hidden: true })
  tokenHash!: Buffer;

  @ManyToOne(() => User, { nullable: true, deleteRule: 'set null' })
  invitedBy: User | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  acceptedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  revokedAt: Date | null = null;
}
