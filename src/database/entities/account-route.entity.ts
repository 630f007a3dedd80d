import { randomUUID } from 'node:crypto';
import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { GuardRules } from '../../gateway/moderation-guard/guard-settings.ts';
import type { RouteSettings } from '../../gateway/routing/model-router.ts';
import type { Timeouts } from '../../gateway/timeouts.ts';
import { Account } from './account.entity.ts';

/** What an account says of its route. What is absent is as the operator has it for all. */
export interface AccountRouteRules
  extends Pick<RouteSettings, 'targets'>, Partial<Pick<RouteSettings, 'order' | 'sticky' | 'parameters' | 'retries'>> {
  /** In seconds. */
  readonly timeouts?: Partial<Readonly<Record<Exclude<keyof Timeouts, 'caller'>, number>>>;
  readonly larger?: string;
  /** How long answers are kept for requests alike, in seconds. */
  readonly cache?: number;
  /** What its chats are moderated by, beside what the operator has for all. */
  readonly moderation?: GuardRules;
}

/** A name for several targets, of one account alone. */
@Entity({ tableName: 'account_routes' })
@Unique({ properties: ['account', 'name'] })
export class AccountRoute {
  [OptionalProps]?: 'createdAt' | 'updatedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** As requests name it. */
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: JsonType })
  settings!: AccountRouteRules;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  updatedAt!: Date;
}
