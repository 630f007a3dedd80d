import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { User } from './user.entity.ts';

/** Who a user is at an identity provider. Never found by the address: that may change hands there. */
@Entity({ tableName: 'linked_identities' })
@Unique({ properties: ['issuer', 'subject'] })
export class LinkedIdentity {
  [OptionalProps]?: 'createdAt' | 'lastUsedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => User, { deleteRule: 'cascade' })
  user!: User;

  /** The provider's id in the configuration when it was linked. */
  @Property({ type: 'text' })
  provider!: string;

  /** As the provider names itself in its tokens. */
  @Property({ type: 'text' })
  issuer!: string;

  @Property({ type: 'text' })
  subject!: string;

  /** What the provider called it last, for people. */
  @Property({ type: 'text', nullable: true })
  email!: string | null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  lastUsedAt!: Date;
}
