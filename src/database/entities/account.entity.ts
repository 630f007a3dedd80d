import { randomUUID } from 'node:crypto';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The tenant: keys, usage and money belong to an account, never to a user. */
@Entity({ tableName: 'accounts' })
export class Account {
  [OptionalProps]?: 'plan' | 'timeZone' | 'createdAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Property({ type: 'text' })
  name!: string;

  /** A plan's id, such as `free` or `enterprise`. */
  @Property({ type: 'text', default: 'enterprise' })
  plan: string = 'enterprise';

  /** IANA name; days, months and budgets of the account begin by it. */
  @Property({ type: 'text', default: 'UTC' })
  timeZone: string = 'UTC';

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
