import { Field, ID, InputType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { ComparisonKind } from './comparison.types.ts';

@InputType({ description: 'Additional parameters for one model, such as its voice.' })
export class ModelParametersInput {
  @Field(() => String, { description: 'A model of the comparison, by its requested name.' })
  model!: string;

  @Field(() => JsonValue, { description: 'Override the common `parameters`.' })
  parameters!: unknown;
}

@InputType({ description: 'The request and the models.' })
export class StartComparisonInput {
  @Field(() => ComparisonKind, { defaultValue: ComparisonKind.CHAT, description: 'What the models generate.' })
  kind!: ComparisonKind;

  @Field(() => [String], {
    description: 'Up to 8 distinct models: `provider/model`, an alias, a route, or an unambiguous bare name.',
  })
  models!: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'The prompt of a chat or an image, or the text to speak. A chat requires either `prompt` or `messages`.',
  })
  prompt?: string | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'A conversation in the format of `POST /v1/chat/completions`.',
  })
  messages?: unknown;

  @Field(() => [String], {
    nullable: true,
    description: 'For embeddings: the two texts to compare.',
  })
  texts?: string[] | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'Additional parameters of each request: `temperature`, `max_completion_tokens`, `size`, `voice` …',
  })
  parameters?: unknown;

  @Field(() => [ModelParametersInput], { nullable: true, description: 'Additional parameters for single models.' })
  modelParameters?: ModelParametersInput[] | null;

  @Field(() => String, { nullable: true, description: 'Display name. Maximum 200 characters.' })
  name?: string | null;
}

@InputType({ description: 'Filters comparisons. All conditions must match.' })
export class ComparisonFilter {
  @Field(() => ComparisonKind, { nullable: true, description: 'What the models generate.' })
  kind?: ComparisonKind | null;

  @Field(() => String, {
    nullable: true,
    description: 'A compared model, by its requested name or `provider/model`.',
  })
  model?: string | null;

  @Field(() => String, { nullable: true, description: 'Matches comparisons whose name or prompt contains this text.' })
  search?: string | null;

  @Field(() => ID, { nullable: true, description: 'The user who ran the comparison.' })
  memberId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether a lane is running.' })
  isRunning?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the comparison has a link.' })
  isShared?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the comparison has votes.' })
  isVoted?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: 'Started at or after this time.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Started before this time.' })
  to?: Date | null;
}
