import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { BatchPass, BatchProblem, BatchProtocol, BatchStatus } from '../../gateway/batches/batch.ts';
import { Account } from './account.entity.ts';
import { DatasetRun } from './dataset-run.entity.ts';

const statuses = [
  'validating',
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly BatchStatus[];

const passes = ['collect', 'run', 'deliver'] as const satisfies readonly BatchPass[];

const protocols = ['openai', 'anthropic'] as const satisfies readonly BatchProtocol[];

/** Requests that are run without a connected client, within a day. */
@Entity({ tableName: 'batches' })
@Index({
  name: 'batches_by_account',
  expression: 'create index batches_by_account on batches (account_id, protocol, created_at desc, id desc)',
})
@Index({
  name: 'batches_unfinished',
  expression: 'create index batches_unfinished on batches (turn_at) where ended_at is null',
})
@Index({
  name: 'batches_by_dataset_run',
  expression: 'create index batches_by_dataset_run on batches (dataset_run_id) where dataset_run_id is not null',
})
@Index({ name: 'batches_by_removal', expression: 'create index batches_by_removal on batches (removed_after)' })
export class Batch {
  [OptionalProps]?:
    | 'memberId'
    | 'isBySession'
    | 'beta'
    | 'inputFileId'
    | 'inputBlobId'
    | 'metadata'
    | 'outputSeconds'
    | 'total'
    | 'succeeded'
    | 'errored'
    | 'providerSucceeded'
    | 'providerErrored'
    | 'problems'
    | 'outputFileId'
    | 'errorFileId'
    | 'resultsBlobId'
    | 'startedAt'
    | 'finalizingAt'
    | 'endedAt'
    | 'cancelAskedAt'
    | 'leaseToken'
    | 'leaseUntil'
    | 'turnAt'
    | 'inputOffset'
    | 'nextLine'
    | 'linesBeganAt'
    | 'pass'
    | 'waitUntil'
    | 'datasetRun'
    | 'datasetRunModel';

  /** A UUIDv7; its public id is `batch_` or `msgbatch_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  /** Whom its spending counts for. */
  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  /** Whether a signed-in member created it. */
  @Property({ type: 'boolean', default: false })
  isBySession: boolean = false;

  /** Of the API that it was created with. */
  @Enum({ items: () => [...protocols], type: 'text' })
  protocol!: BatchProtocol;

  /** The path of its requests. */
  @Property({ type: 'text' })
  endpoint!: string;

  /** The `anthropic-beta` header of its requests. */
  @Property({ type: 'text', nullable: true })
  beta: string | null = null;

  @Enum({ items: () => [...statuses], type: 'text' })
  status!: BatchStatus;

  /** Public id of the file that it was created from. */
  @Property({ type: 'text', nullable: true })
  inputFileId: string | null = null;

  /** Its validated requests, a line each; null before validation and after its end. */
  @Property({ type: 'uuid', nullable: true })
  inputBlobId: string | null = null;

  @Property({ type: JsonType, nullable: true })
  metadata: Readonly<Record<string, string>> | null = null;

  /** Lifetime of its output files; null for no end. */
  @Property({ type: 'integer', nullable: true })
  outputSeconds: number | null = null;

  /** Number of requests. */
  @Property({ type: 'integer', default: 0 })
  total: number = 0;

  @Property({ type: 'integer', default: 0 })
  succeeded: number = 0;

  @Property({ type: 'integer', default: 0 })
  errored: number = 0;

  /** Requests that have succeeded at providers, whose results are not here yet. */
  @Property({ type: 'integer', default: 0 })
  providerSucceeded: number = 0;

  /** The same of those that have failed. */
  @Property({ type: 'integer', default: 0 })
  providerErrored: number = 0;

  /** Why its validation failed. */
  @Property({ type: JsonType, nullable: true })
  problems: readonly BatchProblem[] | null = null;

  @Property({ type: 'text', nullable: true })
  outputFileId: string | null = null;

  @Property({ type: 'text', nullable: true })
  errorFileId: string | null = null;

  /** The results of a message batch. */
  @Property({ type: 'uuid', nullable: true })
  resultsBlobId: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When it was validated. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  startedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  finalizingAt: Date | null = null;

  /** When it ended, with any status. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  cancelAskedAt: Date | null = null;

  /** From then on no more requests are started. */
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  /** When the batch itself is removed. */
  @Property({ type: 'datetime', length: 3 })
  removedAfter!: Date;

  /** Increases with each lease: what an earlier holder writes is refused. */
  @Property({ type: 'integer', default: 0 })
  leaseToken: number = 0;

  /** Null while no process runs it. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  leaseUntil: Date | null = null;

  /** When a process last began to run it. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  turnAt: Date | null = null;

  /** Where the first line that is not done starts in the input, in bytes. */
  @Property({ type: 'integer', default: 0 })
  inputOffset: number = 0;

  /** The number of that line, from 0. */
  @Property({ type: 'integer', default: 0 })
  nextLine: number = 0;

  /** The time in the usage records of the lines that are running now. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  linesBeganAt: Date | null = null;

  /** What the position is of. */
  @Enum({ items: () => [...passes], type: 'text', default: 'run' })
  pass: BatchPass = 'collect';

  /** No process runs it before, unless it is cancelled: it waits for providers. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  waitUntil: Date | null = null;

  /** The run of a dataset whose items are its lines: it is no batch of a client. */
  @ManyToOne(() => DatasetRun, { nullable: true, deleteRule: 'cascade' })
  datasetRun: DatasetRun | null = null;

  /** The position of the model that it runs. */
  @Property({ type: 'integer', nullable: true })
  datasetRunModel: number | null = null;
}
