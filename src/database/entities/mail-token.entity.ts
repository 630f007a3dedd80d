import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.ts';

const mailTokenKinds = ['verify', 'reset'] as const;
export type MailTokenKind = (typeof mailTokenKinds)[number];

/** Proves access to an e-mail address, once. The token itself is only in the message. */
@Entity({ tableName: 'mail_tokens' })
export class MailToken {
  [OptionalProps]?: 'createdAt' | 'usedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  @Enum({ items: () => [...mailTokenKinds], type: 'text' })
  kind!: MailTokenKind;

  /** The address that it was sent to. */
  @Property({ type: 'text' })
  email!: string;

  @Property({ type: BlobType, unique: true, hidden: true })
  tokenHash!: Buffer;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Index()
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  usedAt: Date | null = null;
}
