import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { Count } from '../scalars/count.ts';
import { Decimal } from '../scalars/decimal.ts';

@ArgsType()
export class DatasetRunEstimateArgs {
  @Field(() => ID, { description: 'The dataset.' })
  datasetId!: string;

  @Field(() => [String], { description: 'The models, as for `createDatasetRun`.' })
  models!: string[];

  @Field(() => String, { nullable: true, description: 'The model that scores the outputs.' })
  judge?: string | null;

  @Field(() => Int, { nullable: true, description: 'Max tokens of each output.' })
  maxTokens?: number | null;
}

@ObjectType({ description: 'What one model of a dataset run is expected to use and to cost.' })
export class DatasetRunCostEstimate {
  @Field(() => String, { description: 'The model, as requested.' })
  model!: string;

  @Field(() => Count, { description: 'Number of input tokens.' })
  inputTokens!: number;

  @Field(() => Count, { description: 'Number of output tokens.' })
  outputTokens!: number;

  @Field(() => Decimal, { nullable: true, description: 'Cost in USD. Null if the price of the model is not known.' })
  costUsd!: string | null;
}

@ObjectType({
  description:
    'What a dataset run is expected to cost: inputs and outputs have as many tokens as in the logged requests, and outputs at most `maxTokens`. Where the usage log has no output tokens of a request any more, an output has 300. Models count tokens differently, and requests that are repeated cost more.',
})
export class DatasetRunEstimate {
  @Field(() => [DatasetRunCostEstimate], { complexity: 0, description: 'The models, in the order of the request.' })
  models!: DatasetRunCostEstimate[];

  @Field(() => DatasetRunCostEstimate, {
    nullable: true,
    complexity: 0,
    description:
      'The judge, whose answers have 120 tokens: for each output the item, the expected output and the output, with 400 tokens of instructions. Null without one.',
  })
  judge!: DatasetRunCostEstimate | null;
}
