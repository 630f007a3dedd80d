import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** An object that a provider holds for an account: a response, an item of it, a container. Only its owner may name it. */
@Entity({ tableName: 'provider_objects' })
@Index({
  name: 'provider_objects_by_expiry',
  expression: 'create index provider_objects_by_expiry on provider_objects (expires_at)',
})
export class ProviderObject {
  [PrimaryKeyProp]?: ['account', 'objectId', 'connectionId', 'apiKeyId'];

  @ManyToOne(() => Account, { primary: true, deleteRule: 'cascade' })
  account!: Account;

  /** The provider's id. */
  @PrimaryKey({ type: 'text' })
  objectId!: string;

  /** Ids of two providers may be equal. */
  @PrimaryKey({ type: 'text' })
  connectionId!: string;

  /** The key that obtained it, which it outlives. Several keys may obtain one object. */
  @PrimaryKey({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When it is forgotten here. */
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
