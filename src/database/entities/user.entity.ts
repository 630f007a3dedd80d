import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A person who can sign in. Their permissions are in their memberships. */
@Entity({ tableName: 'users' })
@Check({ name: 'users_email_is_lower_case', expression: 'email = lower(email)' })
export class User {
  [OptionalProps]?: 'createdAt' | 'emailVerifiedAt' | 'pendingEmail' | 'totpSecret' | 'totpDraft' | 'totpLastStep';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** Lower case, so that an address belongs to one user. */
  @Property({ type: 'text', unique: true })
  email!: string;

  /** When the user confirmed the address. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  emailVerifiedAt: Date | null = null;

  /** The new address until it is confirmed; in lower case. */
  @Property({ type: 'text', nullable: true })
  pendingEmail: string | null = null;

  @Property({ type: 'text' })
  name!: string;

  /** An argon2id hash in PHC format; null for users who sign in through an identity provider only. */
  @Property({ type: 'text', nullable: true, hidden: true })
  passwordHash!: string | null;

  /** The secret of the authenticator app; encrypted, see credential-vault.ts. Null without two-factor authentication. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  totpSecret: Buffer | null = null;

  /** A secret that is not confirmed yet; also encrypted. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  totpDraft: Buffer | null = null;

  /** The time step of the last accepted code: it and earlier ones cannot be used again. */
  @Property({ type: 'integer', nullable: true })
  totpLastStep: number | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
