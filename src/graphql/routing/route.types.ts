import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Moderation, ModerationInput } from './moderation.types.ts';
import { BatchMode, ParameterPolicy, TargetOrder } from './route-preview.types.ts';

@ObjectType({ description: 'A target of a route.' })
export class RouteTarget {
  @Field(() => String, {
    description: 'The target as specified in the route: `provider/model`, or an unambiguous bare name.',
  })
  model!: string;

  @Field(() => Float, { description: 'Weight relative to the other targets. Used with `WEIGHTED` and `sticky`.' })
  weight!: number;
}

@ObjectType({ description: 'Timeouts for the provider’s response, in seconds. Null if the server’s default applies.' })
export class RouteTimeouts {
  @Field(() => Float, { nullable: true, description: 'Until the connection is established.' })
  connectSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a response that is not streamed.' })
  answerSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a streamed response.' })
  headersSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the first token of a streamed response.' })
  firstTokenSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Between two chunks of a streamed response.' })
  betweenChunksSeconds!: number | null;
}

@ObjectType({
  implements: Node,
  description:
    'A model name that the account defines for several targets. It takes precedence over a route, alias or model of the server with the same name. For settings that are null, the server’s setting applies.',
})
export class Route implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'The name used in requests.' })
  name!: string;

  @Field(() => [RouteTarget], {
    description: 'Targets in order. A target that has no connection in the account or on the server is skipped.',
  })
  targets!: RouteTarget[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first.' })
  order!: TargetOrder | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether requests of the same end user use the same target.' })
  sticky!: boolean | null;

  @Field(() => ParameterPolicy, {
    nullable: true,
    description: 'What happens to a parameter that a provider does not support.',
  })
  parameters!: ParameterPolicy | null;

  @Field(() => Int, { nullable: true, description: 'Number of retries if the route has a single target.' })
  retries!: number | null;

  @Field(() => BatchMode, { nullable: true, description: 'Who runs requests of batches.' })
  batches!: BatchMode | null;

  @Field(() => RouteTimeouts, { description: 'Timeouts for the provider’s response.' })
  timeouts!: RouteTimeouts;

  @Field(() => String, {
    nullable: true,
    description: 'The target for requests whose input is too long for the other targets.',
  })
  larger!: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'How long responses are cached for identical requests, in seconds.',
  })
  cacheSeconds!: number | null;

  @Field(() => Moderation, {
    nullable: true,
    description: 'Moderation of chats, in addition to the server’s moderation.',
  })
  moderation!: Moderation | null;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the route was last saved.' })
  updatedAt!: Date;
}

@InputType({ description: 'A target of a route.' })
export class RouteTargetInput {
  @Field(() => String, {
    description: 'An available model: `provider/model`, or a bare name. Cannot be another route.',
  })
  model!: string;

  @Field(() => Float, { nullable: true, description: 'Weight from 0 to 1,000,000. Default 1.' })
  weight?: number | null;
}

@InputType({ description: 'Timeouts for the provider’s response, in seconds. Maximum one day.' })
export class RouteTimeoutsInput {
  @Field(() => Float, { nullable: true, description: 'Until the connection is established.' })
  connectSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a response that is not streamed.' })
  answerSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a streamed response.' })
  headersSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the first token of a streamed response.' })
  firstTokenSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Between two chunks of a streamed response.' })
  betweenChunksSeconds?: number | null;
}

@InputType({
  description:
    'A complete route. It replaces the route with the same name. For absent settings, the server’s settings apply.',
})
export class SaveRouteInput {
  @Field(() => String, { description: 'The `model` in requests. 1 to 256 characters.' })
  name!: string;

  @Field(() => [RouteTargetInput], { description: '1 to 64 targets.' })
  targets!: RouteTargetInput[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first.' })
  order?: TargetOrder | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether requests of the same end user use the same target.' })
  sticky?: boolean | null;

  @Field(() => ParameterPolicy, {
    nullable: true,
    description: 'What happens to a parameter that a provider does not support.',
  })
  parameters?: ParameterPolicy | null;

  @Field(() => Int, { nullable: true, description: 'Number of retries if the route has a single target: 0 to 10.' })
  retries?: number | null;

  @Field(() => BatchMode, { nullable: true, description: 'Who runs requests of batches.' })
  batches?: BatchMode | null;

  @Field(() => RouteTimeoutsInput, { nullable: true, description: 'Timeouts for the provider’s response.' })
  timeouts?: RouteTimeoutsInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'The target for requests whose input is too long for the other targets.',
  })
  larger?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'How long responses are cached for identical requests, in seconds. Maximum one day.',
  })
  cacheSeconds?: number | null;

  @Field(() => ModerationInput, {
    nullable: true,
    description: 'Moderation of chats, in addition to the server’s moderation.',
  })
  moderation?: ModerationInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false.',
  })
  saveAnyway?: boolean | null;
}
