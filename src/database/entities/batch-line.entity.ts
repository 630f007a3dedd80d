import { OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Batch } from './batch.entity.ts';

/** A request of a batch that is done, or that has to be run again. Removed once the results are a file. */
@Entity({ tableName: 'batch_lines' })
export class BatchLine {
  [PrimaryKeyProp]?: ['batch', 'line'];
  [OptionalProps]?: 'attempt' | 'beganAt' | 'isSuccess' | 'result';

  @ManyToOne(() => Batch, { primary: true, deleteRule: 'cascade' })
  batch!: Batch;

  /** From 0, in the order of the input. */
  @PrimaryKey({ type: 'integer' })
  line!: number;

  /** The run that its event id derives from, from 0. */
  @Property({ type: 'integer', default: 0 })
  attempt: number = 0;

  /** The time in the usage record of that run; null for that of the batch. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  beganAt: Date | null = null;

  /** Null while it is not done. */
  @Property({ type: 'boolean', nullable: true })
  isSuccess: boolean | null = null;

  /** Its line of the results. */
  @Property({ type: 'text', nullable: true })
  result: string | null = null;
}
