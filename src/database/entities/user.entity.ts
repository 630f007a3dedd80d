import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** A person who can sign in. What they may do stands in their memberships. */
@Entity({ tableName: 'users' })
@Check({ name: 'users_email_is_lower_case', expression: 'email = lower(email)' })
export class User {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  /** Always in lower case, so that one address is one user. */
  @Property({ type: 'text', unique: true })
  email!: string;

  @Property({ type: 'text' })
  name!: string;

  /** An argon2id hash in PHC form. */
  @Property({ type: 'text', hidden: true })
  passwordHash!: string;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
