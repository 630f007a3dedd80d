import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.ts';

/** A user's identity at an identity provider. Never looked up by address, which may be reassigned there. */
@Entity({ tableName: 'linked_identities' })
@Unique({ properties: ['issuer', 'subject'] })
export class LinkedIdentity {
  [OptionalProps]?: 'createdAt' | 'lastUsedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  /** The provider's id in the configuration at the time of linking. */
  @Property({ type: 'text' })
  provider!: string;

  /** The issuer in the provider's tokens. */
  @Property({ type: 'text' })
  issuer!: string;

  @Property({ type: 'text' })
  subject!: string;

  /** The last name or address that the provider reported, for people. */
  @Property({ type: 'text', nullable: true })
  email!: string | null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  lastUsedAt!: Date;
}
