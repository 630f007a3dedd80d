import { randomUUID } from 'node:crypto';
import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';
import { Dataset } from './dataset.entity.ts';

/** The items of a dataset, as they were at its creation, run against several models. */
@Entity({ tableName: 'dataset_runs' })
@Index({
  name: 'dataset_runs_by_dataset',
  expression: 'create index dataset_runs_by_dataset on dataset_runs (dataset_id, created_at desc, id desc)',
})
@Index({
  name: 'dataset_runs_by_account',
  expression: 'create index dataset_runs_by_account on dataset_runs (account_id, created_at desc, id desc)',
})
export class DatasetRun {
  [OptionalProps]?:
    | 'id'
    | 'dataset'
    | 'memberId'
    | 'bytes'
    | 'temperature'
    | 'maxTokens'
    | 'judge'
    | 'startedAt'
    | 'cancelAskedAt'
    | 'endedAt'
    | 'outcome';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Null after it was deleted. */
  @ManyToOne(() => Dataset, { nullable: true, deleteRule: 'set null' })
  dataset: Dataset | null = null;

  @Property({ type: 'text' })
  name!: string;

  /** The names of its scorers. */
  @Property({ type: JsonType })
  scorers!: readonly string[];

  /** Replaces that of the items. */
  @Property({ type: 'double', nullable: true })
  temperature: number | null = null;

  /** The same. */
  @Property({ type: 'integer', nullable: true })
  maxTokens: number | null = null;

  /** The model that judges the outputs, and how; null without the scorer. */
  @Property({ type: JsonType, nullable: true })
  judge: object | null = null;

  @Property({ type: 'integer' })
  itemCount!: number;

  /** Of the documents of its items and outputs that are stored, before they are compressed. */
  @Property({ type: new BigIntType('bigint'), default: 0 })
  bytes: bigint = 0n;

  /** Who created it. */
  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When its first request was started. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  startedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  cancelAskedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  /** `completed`, `cancelled` or `expired`; null before its end. */
  @Property({ type: 'text', nullable: true })
  outcome: string | null = null;
}
