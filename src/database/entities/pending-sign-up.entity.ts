import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** Somebody asked for an account, and has not proved the address yet: there is no user until the link in the mail is followed. */
@Entity({ tableName: 'pending_sign_ups' })
export class PendingSignUp {
  [OptionalProps]?: 'createdAt' | 'tokenHash' | 'sentAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** In lower case. */
  @Index()
  @Property({ type: 'text' })
  email!: string;

  @Property({ type: 'text' })
  name!: string;

  /** As of a user; null once it is known that the address has one. */
  @Property({ type: 'text', nullable: true, hidden: true })
  passwordHash!: string | null;

  /** Of the token in the last mail; null until one is sent. */
  @Property({ type: BlobType, nullable: true, unique: true, hidden: true })
  tokenHash: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When a mail went to the address because of it. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  sentAt: Date | null = null;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
