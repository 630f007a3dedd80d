import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { DatasetItem } from '../datasets/dataset.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Cursor } from '../scalars/cursor.ts';
import { Decimal } from '../scalars/decimal.ts';
import { JsonValue } from '../scalars/json.ts';
import { DatasetRunOutputStatus, DatasetScorer } from './dataset-run.enums.ts';
import { DatasetRunJudgement } from './dataset-run-judge.types.ts';

@ObjectType({ description: 'The score of an output.' })
export class DatasetRunOutputScore {
  @Field(() => DatasetScorer, { description: 'The scorer.' })
  scorer!: DatasetScorer;

  @Field(() => Float, { description: 'From 0 to 1.' })
  value!: number;
}

@ObjectType({ description: 'What one model returned for an item.' })
export class DatasetRunOutput {
  @Field(() => String, { description: 'The model, as requested.' })
  model!: string;

  @Field(() => DatasetRunOutputStatus, { description: 'Status of the request.' })
  status!: DatasetRunOutputStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Output text. Null without one, or if it cannot be decrypted.',
  })
  text!: string | null;

  @Field(() => Boolean, {
    description: 'False if the output cannot be decrypted: it was encrypted under another secret of the server.',
  })
  isReadable!: boolean;

  @Field(() => JsonValue, {
    nullable: true,
    description:
      'Tool calls in the format of `POST /v1/chat/completions`. Null without one, or if they cannot be decrypted.',
  })
  toolCalls!: unknown;

  @Field(() => String, { nullable: true, description: 'Error code. Null unless the request failed.' })
  errorCode!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the request failed. Null unless it did.' })
  errorMessage!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Cost in USD, repeated requests included. Null until it is logged, or if the price was not known.',
  })
  costUsd!: string | null;

  @Field(() => Int, { nullable: true, description: 'Duration in milliseconds. Null until it is logged.' })
  durationMs!: number | null;

  @Field(() => Count, { nullable: true, description: 'Number of input tokens. Null until it is logged.' })
  inputTokens!: number | null;

  @Field(() => Count, { nullable: true, description: 'Number of output tokens. Null until it is logged.' })
  outputTokens!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'ID of the `UsageLog` of the request, which may have expired. Null until the request has ended.',
  })
  usageLogId!: string | null;

  @Field(() => [DatasetRunOutputScore], { complexity: 0, description: 'Scores, of the scorers that apply.' })
  scores!: DatasetRunOutputScore[];

  @Field(() => DatasetRunJudgement, {
    nullable: true,
    complexity: 0,
    description: 'What the judge returned for it. Null without a judge, or an output.',
  })
  judgement!: DatasetRunJudgement | null;
}

@ObjectType({ description: 'An item of a dataset run with the output of each model.' })
export class DatasetRunResult {
  /** For the field `item`; not part of the schema. */
  loadItem!: (withContent: boolean) => Promise<DatasetItem | null>;

  @Field(() => Int, { description: 'The position of the item in the dataset, from 1.' })
  position!: number;

  @Field(() => [DatasetRunOutput], { complexity: 0, description: 'One for each model, in their order.' })
  outputs!: DatasetRunOutput[];
}

@ObjectType({ description: 'A result of a dataset run in a page.' })
export class DatasetRunResultEdge {
  @Field(() => DatasetRunResult, { description: 'The result.' })
  node!: DatasetRunResult;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of results. It ends early where they are long.' })
export class DatasetRunResultConnection {
  @Field(() => [DatasetRunResultEdge], { description: 'The results with their cursors.' })
  edges!: DatasetRunResultEdge[];

  @Field(() => [DatasetRunResult], { description: 'The results.' })
  nodes!: DatasetRunResult[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
