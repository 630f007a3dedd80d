import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** An account's own way to a provider. What it signs in with is sealed: this database alone cannot open it. */
@Entity({ tableName: 'provider_connections' })
@Unique({ properties: ['account', 'provider'] })
export class ProviderConnection {
  [OptionalProps]?:
    | 'baseUrl'
    | 'options'
    | 'secretOptionNames'
    | 'credentialHint'
    | 'sealedCredentials'
    | 'createdAt'
    | 'updatedAt'
    | 'testedAt'
    | 'testSucceeded'
    | 'testMessage'
    | 'active';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** The prefix of its models. */
  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Null: the provider's own. */
  @Property({ type: 'text', nullable: true })
  baseUrl: string | null = null;

  /** Those that are no secrets. */
  @Property({ type: JsonType, defaultRaw: "'{}'" })
  options: Record<string, string> = {};

  /** What the sealed options are called. */
  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{}'" })
  secretOptionNames: string[] = [];

  /** The end of the API key, for lists: `…x9Zq`. */
  @Property({ type: 'text', nullable: true })
  credentialHint: string | null = null;

  /** The API key and the secret options; see credential-vault.ts. Null where there are none. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  sealedCredentials: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  updatedAt!: Date;

  /** Of the last test: of these credentials, or none. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  testedAt: Date | null = null;

  @Property({ type: 'boolean', nullable: true })
  testSucceeded: boolean | null = null;

  /** For people; in the provider's own words where it gave any, without secrets. */
  @Property({ type: 'text', nullable: true })
  testMessage: string | null = null;

  /** Requests go by an active one alone. */
  @Property({ type: 'boolean', default: true })
  active = true;
}
