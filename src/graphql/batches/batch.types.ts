import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum BatchStatus {
  VALIDATING = 'validating',
  IN_PROGRESS = 'in_progress',
  FINALIZING = 'finalizing',
  COMPLETED = 'completed',
  FAILED = 'failed',
  EXPIRED = 'expired',
  CANCELLING = 'cancelling',
  CANCELLED = 'cancelled',
}
registerEnumType(BatchStatus, {
  name: 'BatchStatus',
  description: 'The status of a batch.',
  valuesConfig: {
    VALIDATING: { description: 'The input file is being checked.' },
    IN_PROGRESS: { description: 'The requests are running.' },
    FINALIZING: { description: 'The results are being stored.' },
    COMPLETED: { description: 'Every request has a result.' },
    FAILED: { description: 'The input file is invalid.' },
    EXPIRED: { description: 'The batch did not end within 24 hours.' },
    CANCELLING: { description: 'No more requests are started.' },
    CANCELLED: { description: 'The batch was cancelled.' },
  },
});

@ObjectType({ description: 'Why the input file of a batch was rejected.' })
export class BatchError {
  @Field(() => String, { description: 'Machine-readable reason, such as `duplicate_custom_id`.' })
  code!: string;

  @Field(() => String, { description: 'What is wrong, for people.' })
  message!: string;

  @Field(() => String, { nullable: true, description: 'The invalid member of the request. Null where there is none.' })
  param!: string | null;

  @Field(() => Int, { nullable: true, description: 'The line, from 1. Null where it concerns the file.' })
  line!: number | null;
}

@ObjectType({
  implements: Node,
  description: 'Requests that run within 24 hours, created by `POST /v1/batches` or `POST /v1/messages/batches`.',
})
export class Batch implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The ID in the REST API: `batch_…` or `msgbatch_…`.' })
  batchId!: string;

  @Field(() => String, { description: 'The path of its requests, such as `/v1/chat/completions`.' })
  endpoint!: string;

  @Field(() => BatchStatus, { description: 'Current status.' })
  status!: BatchStatus;

  @Field(() => Int, { description: 'Number of requests. 0 before the input file is checked.' })
  total!: number;

  @Field(() => Int, { description: 'Number of requests that have succeeded so far.' })
  succeeded!: number;

  @Field(() => Int, { description: 'Number of requests that have failed so far.' })
  errored!: number;

  @Field(() => [BatchError], {
    description: 'Why a `FAILED` batch did not run: at most 50 reasons. Empty for all others.',
  })
  errors!: readonly BatchError[];

  @Field(() => String, { nullable: true, description: 'The input file. Null for a message batch.' })
  inputFileId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The results of the requests that succeeded. Null where there are none, and for a message batch.',
  })
  outputFileId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The results of the other requests. Null where there are none, and for a message batch.',
  })
  errorFileId!: string | null;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'Null until the batch has ended, with any status.' })
  endedAt!: Date | null;

  @Field(() => DateTime, { description: 'Requests that have not started by then expire.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A batch in a page.' })
export class BatchEdge {
  @Field(() => Batch, { description: 'The batch.' })
  node!: Batch;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of batches.' })
export class BatchConnection {
  @Field(() => [BatchEdge], { description: 'The batches with their cursors.' })
  edges!: BatchEdge[];

  @Field(() => [Batch], { description: 'The batches.' })
  nodes!: Batch[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
