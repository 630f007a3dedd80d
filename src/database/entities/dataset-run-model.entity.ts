import { JsonType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { DatasetRun } from './dataset-run.entity.ts';

/** A model of a run. A batch runs its requests. */
@Entity({ tableName: 'dataset_run_models' })
export class DatasetRunModel {
  [PrimaryKeyProp]?: ['run', 'position'];
  [OptionalProps]?: 'outcome' | 'summary' | 'waitingFor';

  @ManyToOne(() => DatasetRun, { primary: true, deleteRule: 'cascade' })
  run!: DatasetRun;

  /** From 0, in the order of the request. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  /** As requested. */
  @Property({ type: 'text' })
  model!: string;

  /** Whether its price was known. */
  @Property({ type: 'boolean' })
  isPriced!: boolean;

  /** How its batch ended; null before. */
  @Property({ type: 'text', nullable: true })
  outcome: string | null = null;

  /** The code of the error that a request last waited for; null after results were stored. */
  @Property({ type: 'text', nullable: true })
  waitingFor: string | null = null;

  /** Its figures, once it has ended. */
  @Property({ type: JsonType, nullable: true })
  summary: object | null = null;
}
