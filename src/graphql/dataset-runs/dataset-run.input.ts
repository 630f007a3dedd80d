import { ArgsType, Field, Float, ID, InputType, Int } from 'type-graphql';
import { PageArgs } from '../relay/page.ts';
import { DatasetJudgeScale, DatasetScorer } from './dataset-run.enums.ts';

@InputType({
  description:
    'A model that scores each output by a rubric. Its requests count toward the same limits and budgets as those of the models.',
})
export class DatasetRunJudgeInput {
  @Field(() => String, { description: 'A model of text generation, best one that supports structured output.' })
  model!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'What a good output is. Maximum 4,000 characters. Default: it does what the input asks for, and means the same as the expected output, if there is one.',
  })
  rubric?: string | null;

  @Field(() => DatasetJudgeScale, { nullable: true, description: 'The scores that it gives. Default: `ZERO_TO_ONE`.' })
  scale?: DatasetJudgeScale | null;
}

@InputType({ description: 'The dataset and the models.' })
export class CreateDatasetRunInput {
  @Field(() => ID, { description: 'The dataset. Its items may change afterwards; those of the run do not.' })
  datasetId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Display name. Maximum 200 characters. Default: the models.',
  })
  name?: string | null;

  @Field(() => [String], {
    description:
      'Up to 8 distinct models of text generation: `provider/model`, an alias, a route, or an unambiguous bare name.',
  })
  models!: string[];

  @Field(() => [DatasetScorer], { defaultValue: [], description: 'How outputs are scored.' })
  scorers!: DatasetScorer[];

  @Field(() => DatasetRunJudgeInput, {
    nullable: true,
    description: 'The model of the scorer `JUDGE`, which need not be listed in `scorers` then.',
  })
  judge?: DatasetRunJudgeInput | null;

  @Field(() => Float, { nullable: true, description: 'From 0 to 2. Default: that of each item.' })
  temperature?: number | null;

  @Field(() => Int, { nullable: true, description: 'Max tokens of each output. Default: that of each item.' })
  maxTokens?: number | null;
}

@ArgsType()
export class DatasetRunResultArgs extends PageArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Only items for which a request failed.' })
  onlyFailed!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Only items for which the models returned different outputs.',
  })
  onlyDifferent!: boolean;
}
