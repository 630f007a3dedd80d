import { ArgsType, Field, Float, ID, InputType, Int } from 'type-graphql';
import { PageArgs } from '../relay/page.ts';
import { DatasetScorer } from './dataset-run.enums.ts';

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
