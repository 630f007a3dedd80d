import { BlobType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { DatasetRun } from './dataset-run.entity.ts';

/** An item of a dataset as it was when its run was created. */
@Entity({ tableName: 'dataset_run_items' })
export class DatasetRunItem {
  [PrimaryKeyProp]?: ['run', 'line'];
  [OptionalProps]?: 'content' | 'wrappedKey';

  @ManyToOne(() => DatasetRun, { primary: true, deleteRule: 'cascade' })
  run!: DatasetRun;

  /** From 0: the line of the batches. */
  @PrimaryKey({ type: 'integer' })
  line!: number;

  /** Outlives the item. */
  @Property({ type: 'uuid' })
  itemId!: string;

  /** That of the item. */
  @Property({ type: 'integer' })
  position!: number;

  /** Length of the document in bytes, before it is compressed. */
  @Property({ type: 'integer' })
  bytes!: number;

  /** The document, encrypted as that of the item; null after the end of the run. */
  @Property({ type: BlobType, nullable: true, hidden: true, lazy: true })
  content: Buffer | null = null;

  @Property({ type: BlobType, nullable: true, hidden: true, lazy: true })
  wrappedKey: Buffer | null = null;
}
