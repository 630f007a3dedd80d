import { randomUUID } from 'node:crypto';
import { ArrayType, BlobType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** An account's own connection to a provider. Its credentials are encrypted with a key that is not in the database. */
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
    | 'active'
    | 'region'
    | 'trainsOnData'
    | 'retentionDays';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** The prefix of its model names. */
  @Property({ type: 'text' })
  provider!: string;

  @Property({ type: 'text' })
  name!: string;

  /** Null: the provider's default. */
  @Property({ type: 'text', nullable: true })
  baseUrl: string | null = null;

  /** The options that are not secret. */
  @Property({ type: JsonType, defaultRaw: "'{}'" })
  options: Record<string, string> = {};

  /** The names of the encrypted options. */
  @Property({ type: ArrayType, columnType: 'text[]', defaultRaw: "'{}'" })
  secretOptionNames: string[] = [];

  /** The end of the API key, for lists: `…x9Zq`. */
  @Property({ type: 'text', nullable: true })
  credentialHint: string | null = null;

  /** The API key and the secret options, encrypted; see credential-vault.ts. Null if there are none. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  sealedCredentials: Buffer | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  updatedAt!: Date;

  /** When these credentials were last tested; null if never. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  testedAt: Date | null = null;

  @Property({ type: 'boolean', nullable: true })
  testSucceeded: boolean | null = null;

  /** For people; in the provider's own words if it gave any, without secrets. */
  @Property({ type: 'text', nullable: true })
  testMessage: string | null = null;

  /** Only active connections serve requests. */
  @Property({ type: 'boolean', default: true })
  active = true;

  /** Where the provider processes the requests, as the account states it; null for what the address says. */
  @Property({ type: 'text', nullable: true })
  region: string | null = null;

  /** Whether the provider trains models with the data of requests, as the account states it. */
  @Property({ type: 'boolean', nullable: true })
  trainsOnData: boolean | null = null;

  /** Days for which the provider retains requests, as the account states it; 0 for zero retention. */
  @Property({ type: 'integer', nullable: true })
  retentionDays: number | null = null;
}
