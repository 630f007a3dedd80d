import { randomUUID } from 'node:crypto';
import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { ModerationRules } from '../../gateway/keys/moderation-settings.ts';
import type { RouteSettings } from '../../gateway/routing/route-settings.ts';
import type { Timeouts } from '../../gateway/routing/timeouts.ts';
import { Account } from './account.entity.ts';

/** The settings of an account's route. Absent members have the operator's defaults. */
export interface AccountRouteRules
  extends
    Pick<RouteSettings, 'targets'>,
    Partial<Pick<RouteSettings, 'order' | 'sticky' | 'parameters' | 'retries' | 'batches'>> {
  /** In seconds. */
  readonly timeouts?: Partial<Readonly<Record<Exclude<keyof Timeouts, 'client'>, number>>>;
  readonly larger?: string;
  /** How long responses to identical requests are cached, in seconds. */
  readonly cache?: number;
  /** The moderation of its chats, in addition to the operator's. */
  readonly moderation?: ModerationRules;
}

/** A name for several targets, private to one account. */
@Entity({ tableName: 'account_routes' })
@Unique({ properties: ['account', 'name'] })
export class AccountRoute {
  [OptionalProps]?: 'createdAt' | 'updatedAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** The model name in requests. */
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: JsonType })
  settings!: AccountRouteRules;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  updatedAt!: Date;
}
