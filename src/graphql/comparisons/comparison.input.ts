import { Field, ID, InputType } from 'type-graphql';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { ComparisonKind } from './comparison.types.ts';

@InputType({ description: 'Members of the requests of one model alone, such as its voice.' })
export class ModelParametersInput {
  @Field(() => String, { description: 'One of the comparison’s models, as it is named there.' })
  model!: string;

  @Field(() => JsonValue, { description: 'They replace those that all have.' })
  parameters!: unknown;
}

@InputType({ description: 'What is to be asked, and of whom.' })
export class StartComparisonInput {
  @Field(() => ComparisonKind, { defaultValue: ComparisonKind.CHAT, description: 'What the models are asked for.' })
  kind!: ComparisonKind;

  @Field(() => [String], {
    description: 'Up to 8: `provider/model`, an alias, a route, or a bare name that is unambiguous. None twice.',
  })
  models!: string[];

  @Field(() => String, {
    nullable: true,
    description: 'What a chat is asked, a picture shows, or is spoken. Of a chat either it, or `messages`.',
  })
  prompt?: string | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'A conversation, as `POST /v1/chat/completions` takes it.',
  })
  messages?: unknown;

  @Field(() => [String], {
    nullable: true,
    description: 'Of embeddings: the two texts that are held against each other.',
  })
  texts?: string[] | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'Further members of each request: `temperature`, `max_completion_tokens`, `size`, `voice` …',
  })
  parameters?: unknown;

  @Field(() => [ModelParametersInput], { nullable: true, description: 'Members for some of the models alone.' })
  modelParameters?: ModelParametersInput[] | null;

  @Field(() => String, { nullable: true, description: 'To find it again by: up to 200 characters.' })
  name?: string | null;
}

@InputType({ description: 'Which comparisons; each that is given narrows.' })
export class ComparisonFilter {
  @Field(() => ComparisonKind, { nullable: true, description: 'What the models were asked for.' })
  kind?: ComparisonKind | null;

  @Field(() => String, {
    nullable: true,
    description: 'A model that took part, as it was asked for or `provider/model`.',
  })
  model?: string | null;

  @Field(() => String, { nullable: true, description: 'A part of its name, or of what was asked.' })
  search?: string | null;

  @Field(() => ID, { nullable: true, description: 'The user for whom it was run.' })
  memberId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether a lane still runs.' })
  isRunning?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether a link leads to it.' })
  isShared?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether somebody has voted.' })
  isVoted?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: 'Begun then or later.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Begun before.' })
  to?: Date | null;
}
