import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Count } from '../scalars/count.ts';
import { Decimal } from '../scalars/decimal.ts';
import { DatasetJudgeScale, DatasetRunOutputStatus } from './dataset-run.enums.ts';

@ObjectType({ description: 'How often requests of one model failed with an error.' })
export class DatasetRunError {
  @Field(() => String, { description: 'Error code.' })
  code!: string;

  @Field(() => Int, { description: 'Number of requests.' })
  count!: number;
}

@ObjectType({ description: 'The model that scores the outputs of a dataset run.' })
export class DatasetRunJudge {
  @Field(() => String, { description: 'The model, as requested.' })
  model!: string;

  @Field(() => String, { description: 'What a good output is.' })
  rubric!: string;

  @Field(() => DatasetJudgeScale, { description: 'The scores that it gives.' })
  scale!: DatasetJudgeScale;
}

@ObjectType({ description: 'The figures of the judge for the outputs of one model, so far.' })
export class DatasetRunModelJudge {
  @Field(() => Int, { description: 'Number of outputs that have a score.' })
  scored!: number;

  @Field(() => Int, {
    description: 'Number of outputs without a score, because the request failed or its answer was no score.',
  })
  failed!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Cost in USD, which that of the model does not contain. Null if the price of the judge was not known.',
  })
  costUsd!: string | null;

  @Field(() => Count, { description: 'Number of input tokens.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'Number of output tokens.' })
  outputTokens!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Code of the error that requests wait for. Null while none waits, and after the end.',
  })
  waitingFor!: string | null;

  @Field(() => [DatasetRunError], { complexity: 0, description: 'The most frequent errors. At most 20.' })
  errors!: DatasetRunError[];
}

@ObjectType({ description: 'What the judge returned for an output.' })
export class DatasetRunJudgement {
  @Field(() => DatasetRunOutputStatus, { description: 'Status of the request.' })
  status!: DatasetRunOutputStatus;

  @Field(() => Float, { nullable: true, description: 'From 0 to 1. Null unless the request has a score.' })
  score!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The reason for the score. Null without one, or if it cannot be decrypted.',
  })
  reason!: string | null;

  @Field(() => Boolean, { description: 'As in `DatasetRunOutput`.' })
  isReadable!: boolean;

  @Field(() => String, { nullable: true, description: 'Error code. Null unless there is no score.' })
  errorCode!: string | null;

  @Field(() => String, { nullable: true, description: 'Why there is no score. Null unless there is none.' })
  errorMessage!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'As in `DatasetRunOutput`.' })
  costUsd!: string | null;

  @Field(() => ID, { nullable: true, description: 'As in `DatasetRunOutput`.' })
  usageLogId!: string | null;
}
