import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';
import { DatasetRunStatus, DatasetScorer } from './dataset-run.enums.ts';
import { DatasetRunError, DatasetRunJudge, DatasetRunModelJudge } from './dataset-run-judge.types.ts';

@ObjectType({ description: 'The average score of one model.' })
export class DatasetRunScore {
  @Field(() => DatasetScorer, { description: 'The scorer.' })
  scorer!: DatasetScorer;

  @Field(() => Float, { description: 'From 0 to 1.' })
  average!: number;

  @Field(() => Int, { description: 'Number of outputs that it applies to.' })
  count!: number;
}

@ObjectType({
  description:
    'The figures of one model over the items that all models of the run completed, so that models can be compared.',
})
export class DatasetRunCommonFigures {
  @Field(() => Int, { description: 'Number of items that all models completed.' })
  items!: number;

  @Field(() => Decimal, { nullable: true, description: 'As in `DatasetRunModel`.' })
  costUsd!: string | null;

  @Field(() => Count, { description: 'As in `DatasetRunModel`.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'As in `DatasetRunModel`.' })
  outputTokens!: number;

  @Field(() => Float, { nullable: true, description: 'As in `DatasetRunModel`.' })
  latencyP50Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'As in `DatasetRunModel`.' })
  latencyP95Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'As in `DatasetRunModel`.' })
  outputTokensPerSecond!: number | null;

  @Field(() => [DatasetRunScore], {
    complexity: 0,
    description: 'Average scores over those of the items for which all models have one.',
  })
  scores!: DatasetRunScore[];
}

@ObjectType({ description: 'The figures of one model of a dataset run, so far. Usage is counted once it is logged.' })
export class DatasetRunModel {
  @Field(() => String, { description: 'As requested.' })
  model!: string;

  @Field(() => Int, { description: 'Number of requests.' })
  total!: number;

  @Field(() => Int, { description: 'Number of requests that succeeded.' })
  completed!: number;

  @Field(() => Int, { description: 'Number of requests that failed.' })
  failed!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Cost in USD, failed requests included. Null if the price of the model was not known.',
  })
  costUsd!: string | null;

  @Field(() => Count, { description: 'Number of input tokens.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'Number of output tokens.' })
  outputTokens!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Median duration of the requests that succeeded, in milliseconds. Null without one.',
  })
  latencyP50Ms!: number | null;

  @Field(() => Float, { nullable: true, description: '95th percentile of the same. Null without one.' })
  latencyP95Ms!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Output tokens per second of the whole duration of the requests that succeeded, time to first token included. Null without one. It is lower than `outputSpeed` of `usage`, which counts from the first token.',
  })
  outputTokensPerSecond!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Code of the error that requests wait for before they run again, for example of a rate limit. Null while none waits, and after the end.',
  })
  waitingFor!: string | null;

  @Field(() => [DatasetRunScore], {
    complexity: 0,
    description: 'Average scores, of the scorers that apply to any output.',
  })
  scores!: DatasetRunScore[];

  @Field(() => [DatasetRunError], { complexity: 0, description: 'The most frequent errors. At most 20.' })
  errors!: DatasetRunError[];

  @Field(() => DatasetRunCommonFigures, {
    nullable: true,
    complexity: 0,
    description: 'Over the items that all models completed. Null before the end of the run.',
  })
  common!: DatasetRunCommonFigures | null;

  @Field(() => DatasetRunModelJudge, {
    nullable: true,
    complexity: 0,
    description: 'The requests that judge its outputs, which no other figure counts. Null without a judge.',
  })
  judge!: DatasetRunModelJudge | null;
}

@ObjectType({
  implements: Node,
  description:
    'The items of a dataset, as they were when it was created, run against several models. Requests have a low priority.',
})
export class DatasetRun implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  /** For the field `dataset`; not part of the schema. */
  datasetId!: string | null;

  /** For the field `createdBy`; not part of the schema. */
  memberId!: string | null;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => DatasetRunStatus, { description: 'Current status.' })
  status!: DatasetRunStatus;

  @Field(() => String, { nullable: true, description: 'Why it failed. Null unless it did.' })
  failureReason!: string | null;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When its first request was started. Null before.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ended, with any status. Null before.' })
  completedAt!: Date | null;

  @Field(() => Int, { description: 'Number of items.' })
  itemCount!: number;

  @Field(() => [DatasetScorer], { description: 'How its outputs are scored.' })
  scorers!: DatasetScorer[];

  @Field(() => DatasetRunJudge, {
    nullable: true,
    complexity: 0,
    description: 'The model of the scorer `JUDGE`. Null without it.',
  })
  judge!: DatasetRunJudge | null;

  @Field(() => Float, { nullable: true, description: 'Replaces that of the items. Null for theirs.' })
  temperature!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Max tokens of each output, in place of that of the items. Null for theirs.',
  })
  maxTokens!: number | null;
}

@ObjectType({ description: 'A dataset run in a page.' })
export class DatasetRunEdge {
  @Field(() => DatasetRun, { description: 'The run.' })
  node!: DatasetRun;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of dataset runs.' })
export class DatasetRunConnection {
  @Field(() => [DatasetRunEdge], { description: 'The runs with their cursors.' })
  edges!: DatasetRunEdge[];

  @Field(() => [DatasetRun], { description: 'The runs.' })
  nodes!: DatasetRun[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
