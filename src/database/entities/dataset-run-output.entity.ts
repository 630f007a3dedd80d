import { ArrayType, BigIntType, BlobType, JsonType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { DatasetRun } from './dataset-run.entity.ts';

/** What one model returned for one item, or its judge for that. */
@Entity({ tableName: 'dataset_run_outputs' })
@Index({
  name: 'dataset_run_outputs_unmetered',
  expression:
    'create index dataset_run_outputs_unmetered on dataset_run_outputs (run_id, model, line) where not is_metered and status is not null',
})
export class DatasetRunOutput {
  [PrimaryKeyProp]?: ['run', 'line', 'model'];
  [OptionalProps]?:
    | 'status'
    | 'errorCode'
    | 'bytes'
    | 'content'
    | 'wrappedKey'
    | 'digest'
    | 'scores'
    | 'isMetered'
    | 'costNano'
    | 'inputTokens'
    | 'outputTokens'
    | 'durationMs';

  @ManyToOne(() => DatasetRun, { primary: true, deleteRule: 'cascade' })
  run!: DatasetRun;

  /** That of the item. */
  @PrimaryKey({ type: 'integer' })
  line!: number;

  /** The position of the model. */
  @PrimaryKey({ type: 'integer' })
  model!: number;

  /** `completed` or `failed`; null while it runs again. */
  @Property({ type: 'text', nullable: true })
  status: string | null = null;

  /** The events of its requests that may be billed, the last one of the output; that of the output if none was billed. */
  @Property({ type: ArrayType, columnType: 'uuid[]' })
  events!: string[];

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  /** Length of the document in bytes. */
  @Property({ type: 'integer', default: 0 })
  bytes: number = 0;

  /** The compressed and encrypted document. */
  @Property({ type: BlobType, nullable: true, hidden: true, lazy: true })
  content: Buffer | null = null;

  /** The key of the content, encrypted under the account's. */
  @Property({ type: BlobType, nullable: true, hidden: true, lazy: true })
  wrappedKey: Buffer | null = null;

  /** A keyed hash of the output, to find items whose outputs differ. */
  @Property({ type: BlobType, nullable: true, hidden: true })
  digest: Buffer | null = null;

  /** From 0 to 1, of each scorer; null where it does not apply. */
  @Property({ type: JsonType, nullable: true })
  scores: readonly (number | null)[] | null = null;

  /** Whether the figures below are final: the usage log had them, or no provider was sent the request. */
  @Property({ type: 'boolean', default: false })
  isMetered: boolean = false;

  /** Nano-USD, of all its requests. */
  @Property({ type: new BigIntType('bigint'), default: 0 })
  costNano: bigint = 0n;

  @Property({ type: 'integer', nullable: true })
  inputTokens: number | null = null;

  @Property({ type: 'integer', nullable: true })
  outputTokens: number | null = null;

  @Property({ type: 'integer', nullable: true })
  durationMs: number | null = null;
}
