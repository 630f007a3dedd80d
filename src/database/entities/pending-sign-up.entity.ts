import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A sign-up whose address is not confirmed yet: the user is created when the mailed link is opened. */
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

  /** As a user's; null once it is known that the address already has a user. */
  @Property({ type: 'text', nullable: true, hidden: true })
  passwordHash!: string | null;

  /** The hash of the token in the last mail; null until one is sent. */
  @Property({ type: BlobType, nullable: true, unique: true, hidden: true })
  tokenHash: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  /** When mail was sent to the address for this sign-up. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  sentAt: Date | null = null;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
