import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A person who can sign in. What they may do stands in their memberships. */
@Entity({ tableName: 'users' })
@Check({ name: 'users_email_is_lower_case', expression: 'email = lower(email)' })
export class User {
  [OptionalProps]?: 'createdAt' | 'emailVerifiedAt' | 'pendingEmail' | 'totpSecret' | 'totpDraft' | 'totpLastStep';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** Always in lower case, so that one address is one user. */
  @Property({ type: 'text', unique: true })
  email!: string;

  /** When its owner proved that the address is theirs. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  emailVerifiedAt: Date | null = null;

  /** The address that it will be once that one is proved; in lower case. */
  @Property({ type: 'text', nullable: true })
  pendingEmail: string | null = null;

  @Property({ type: 'text' })
  name!: string;

  /** An argon2id hash in PHC form; null for who signs in by an identity provider alone. */
  @Property({ type: 'text', nullable: true, hidden: true })
  passwordHash!: string | null;

  /** Of the authenticator app that every sign-in asks for; sealed, see credential-vault.ts. Null where none is asked for. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  totpSecret: Buffer | null = null;

  /** A secret that no code has confirmed yet; sealed likewise. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  totpDraft: Buffer | null = null;

  /** The time step of the last code that was taken: that one and those before are used up. */
  @Property({ type: 'integer', nullable: true })
  totpLastStep: number | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
