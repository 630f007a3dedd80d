import { JsonType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { DatasetRun } from './dataset-run.entity.ts';

/** A model of a run, or the judge of the outputs of one. A batch runs its requests. */
@Entity({ tableName: 'dataset_run_models' })
export class DatasetRunModel {
  [PrimaryKeyProp]?: ['run', 'position'];
  [OptionalProps]?: 'judges' | 'outcome' | 'summary' | 'common' | 'waitingFor';

  @ManyToOne(() => DatasetRun, { primary: true, deleteRule: 'cascade' })
  run!: DatasetRun;

  /** From 0, in the order of the request. Judges follow the models, in the order of these. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  /** The position of the model whose outputs it judges; null for a model. */
  @Property({ type: 'integer', nullable: true })
  judges: number | null = null;

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

  /** The same over the items that all models of the run completed, once the run has ended. */
  @Property({ type: JsonType, nullable: true })
  common: object | null = null;
}
