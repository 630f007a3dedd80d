import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Moderation, ModerationInput } from './moderation.types.ts';
import { ParameterPolicy, TargetOrder } from './route-preview.types.ts';

@ObjectType({ description: 'Where requests of a route may go.' })
export class RouteTarget {
  @Field(() => String, { description: 'As the route names it: `provider/model`, or a bare name that is unambiguous.' })
  model!: string;

  @Field(() => Float, { description: 'Its weight among those of all targets; under `WEIGHTED` and `sticky`.' })
  weight!: number;
}

@ObjectType({ description: 'How long a provider may be silent, in seconds; null where the server’s own limit holds.' })
export class RouteTimeouts {
  @Field(() => Float, { nullable: true, description: 'Until it is connected.' })
  connectSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of an answer that is not streamed.' })
  answerSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a streamed answer.' })
  headersSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the first token of a streamed answer.' })
  firstTokenSeconds!: number | null;

  @Field(() => Float, { nullable: true, description: 'From one part of a streamed answer to the next.' })
  betweenChunksSeconds!: number | null;
}

@ObjectType({
  implements: Node,
  description:
    'A name of the account’s own for several targets. It comes before a route, alias or model of the server’s that is called so. What is null is as the server has it for all.',
})
export class Route implements Node {
  @Field(() => ID, { description: 'Global.' })
  id!: string;

  @Field(() => String, { description: 'As requests name it.' })
  name!: string;

  @Field(() => [RouteTarget], {
    description: 'Those that neither the account’s connections nor the server’s have are passed over.',
  })
  targets!: RouteTarget[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first.' })
  order!: TargetOrder | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether an end user stays at one target.' })
  sticky!: boolean | null;

  @Field(() => ParameterPolicy, {
    nullable: true,
    description: 'What becomes of a parameter that a provider cannot take.',
  })
  parameters!: ParameterPolicy | null;

  @Field(() => Int, { nullable: true, description: 'How often an only target is tried again.' })
  retries!: number | null;

  @Field(() => RouteTimeouts, { description: 'How long a provider may be silent.' })
  timeouts!: RouteTimeouts;

  @Field(() => String, { nullable: true, description: 'Where a request goes whose input is too long for the targets.' })
  larger!: string | null;

  @Field(() => Float, { nullable: true, description: 'How long answers are kept for requests alike.' })
  cacheSeconds!: number | null;

  @Field(() => Moderation, {
    nullable: true,
    description: 'What its chats are moderated by, beside what the server has for all.',
  })
  moderation!: Moderation | null;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last saved.' })
  updatedAt!: Date;
}

@InputType({ description: 'Where requests of a route may go.' })
export class RouteTargetInput {
  @Field(() => String, { description: 'A model that can be called: `provider/model`, or a bare name. No other route.' })
  model!: string;

  @Field(() => Float, { nullable: true, description: 'From 0 to 1,000,000; 1 where absent.' })
  weight?: number | null;
}

@InputType({ description: 'How long a provider may be silent, in seconds up to a day.' })
export class RouteTimeoutsInput {
  @Field(() => Float, { nullable: true, description: 'Until it is connected.' })
  connectSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of an answer that is not streamed.' })
  answerSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the headers of a streamed answer.' })
  headersSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'Until the first token of a streamed answer.' })
  firstTokenSeconds?: number | null;

  @Field(() => Float, { nullable: true, description: 'From one part of a streamed answer to the next.' })
  betweenChunksSeconds?: number | null;
}

@InputType({
  description: 'A route, whole: it replaces the one of its name. What is absent is as the server has it for all.',
})
export class SaveRouteInput {
  @Field(() => String, { description: '1 to 256 characters: what requests say as `model`.' })
  name!: string;

  @Field(() => [RouteTargetInput], { description: '1 to 64.' })
  targets!: RouteTargetInput[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first.' })
  order?: TargetOrder | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether an end user stays at one target.' })
  sticky?: boolean | null;

  @Field(() => ParameterPolicy, {
    nullable: true,
    description: 'What becomes of a parameter that a provider cannot take.',
  })
  parameters?: ParameterPolicy | null;

  @Field(() => Int, { nullable: true, description: 'How often an only target is tried again: 0 to 10.' })
  retries?: number | null;

  @Field(() => RouteTimeoutsInput, { nullable: true, description: 'How long a provider may be silent.' })
  timeouts?: RouteTimeoutsInput | null;

  @Field(() => String, { nullable: true, description: 'Where a request goes whose input is too long for the targets.' })
  larger?: string | null;

  @Field(() => Float, { nullable: true, description: 'How long answers are kept for requests alike: up to a day.' })
  cacheSeconds?: number | null;

  @Field(() => ModerationInput, {
    nullable: true,
    description: 'What its chats are moderated by, beside what the server has for all.',
  })
  moderation?: ModerationInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether names of models are saved that no list of their provider has, as those of new and fine-tuned models. False where absent.',
  })
  saveAnyway?: boolean | null;
}
