import { randomUUID } from 'node:crypto';
import { BlobType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { Dataset } from './dataset.entity.ts';

/** A copy of the redacted content of a request, encrypted under a key of its own. */
@Entity({ tableName: 'dataset_items' })
@Index({
  name: 'dataset_items_by_dataset',
  expression: 'create unique index dataset_items_by_dataset on dataset_items (dataset_id, position)',
})
@Index({
  name: 'dataset_items_by_request',
  expression: 'create unique index dataset_items_by_request on dataset_items (dataset_id, event_id)',
})
@Index({
  name: 'dataset_items_by_account',
  expression: 'create index dataset_items_by_account on dataset_items (account_id)',
})
export class DatasetItem {
  [OptionalProps]?: 'id';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  @ManyToOne(() => Dataset, { deleteRule: 'cascade' })
  dataset!: Dataset;

  /** The order in which items were added. */
  @Property({ type: 'integer' })
  position!: number;

  /** Of the request that it copies, which the usage log may not contain any more. */
  @Property({ type: 'uuid' })
  eventId!: string;

  /** Length of the document in bytes, before it is compressed. */
  @Property({ type: 'integer' })
  bytes!: number;

  /** The compressed and encrypted document. */
  @Property({ type: BlobType, hidden: true, lazy: true })
  content!: Buffer;

  /** The key of the content, encrypted under the account's. */
  @Property({ type: BlobType, hidden: true, lazy: true })
  wrappedKey!: Buffer;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
