import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

export const alertChannelKinds = ['email', 'webhook', 'slack', 'teams', 'pagerduty'] as const;
export type AlertChannelKind = (typeof alertChannelKinds)[number];

/** A destination of an account's alerts. Its URL and keys are encrypted with a key that is not in the database. */
@Entity({ tableName: 'alert_channels' })
export class AlertChannel {
  [OptionalProps]?: 'recipients' | 'sealedTarget' | 'createdAt';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @Index()
  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  kind!: AlertChannelKind;

  /** The host and the end of the secret part, for lists: `hooks.slack.com/…x9Zq`. For e-mail, the number of addresses. */
  @Property({ type: 'text' })
  hint!: string;

  /** E-mail addresses of members; empty for other kinds. */
  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{}'" })
  recipients: string[] = [];

  /** The URL, routing key and signing secret; see credential-vault.ts. Null for e-mail. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  sealedTarget: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;
}
