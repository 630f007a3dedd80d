import { OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Batch } from './batch.entity.ts';

/** A request of a batch that is done, or that has to be run again. Removed once the results are a file. */
@Entity({ tableName: 'batch_lines' })
export class BatchLine {
  [PrimaryKeyProp]?: ['batch', 'line'];
  [OptionalProps]?:
    | 'attempt'
    | 'beganAt'
    | 'failures'
    | 'lastError'
    | 'retryAt'
    | 'isSuccess'
    | 'result'
    | 'providerBatchId'
    | 'part'
    | 'answerStatus'
    | 'answer';

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

  /** Its runs that have failed at the provider. */
  @Property({ type: 'integer', default: 0 })
  failures: number = 0;

  /** The message of its last run that failed; null for none. */
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  /** It does not run again before; null for at once. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  retryAt: Date | null = null;

  /** Null while it is not done. */
  @Property({ type: 'boolean', nullable: true })
  isSuccess: boolean | null = null;

  /** Its line of the results. */
  @Property({ type: 'text', nullable: true })
  result: string | null = null;

  /** The provider's batch that has it; null where Sluice runs it. */
  @Property({ type: 'uuid', nullable: true })
  providerBatchId: string | null = null;

  /** Its part of that batch, until it was sent. */
  @Property({ type: 'text', nullable: true })
  part: string | null = null;

  /** The HTTP status of the provider's response; null without one. */
  @Property({ type: 'integer', nullable: true })
  answerStatus: number | null = null;

  /** The body of that response, until its result is stored. */
  @Property({ type: 'text', nullable: true })
  answer: string | null = null;
}
