import { Field, Float, Int, ObjectType } from 'type-graphql';
import { BreakerState, TargetOrder } from './route-preview.types.ts';
import { RouteTarget } from './route.types.ts';

@ObjectType({ description: 'How a model does at the connection that is used for it. Told by real requests alone.' })
export class TargetState {
  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => BreakerState, { description: 'Whether it is tried now.' })
  breaker!: BreakerState;

  @Field(() => Int, { description: 'When it may be worth trying again, in milliseconds; 0 for now.' })
  availableInMs!: number;

  @Field(() => Float, { nullable: true, description: 'Measured, in milliseconds; null where it is not known.' })
  firstTokenMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Measured; null where it is not known.' })
  tokensPerSecond!: number | null;
}

@ObjectType({
  description: 'A provider that the account’s requests reach now: by its own connection, or by the server’s.',
})
export class ProviderState {
  @Field(() => String, { description: 'The prefix of its models.' })
  provider!: string;

  @Field(() => Boolean, { description: 'Whether the account’s own key is used, and not the operator’s.' })
  ownConnection!: boolean;

  @Field(() => Int, { description: 'How many of its models are listed.' })
  modelCount!: number;

  @Field(() => [TargetState], {
    description: 'Listed models that failed or limited lately, or whose speed was measured within some minutes.',
  })
  targets!: TargetState[];
}

@ObjectType({
  description: 'A name that the operator gave to models, for all accounts. `routes` has the account’s own.',
})
export class ServerRoute {
  @Field(() => String, { description: 'As requests name it.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it is another name of; null for a route.' })
  aliasOf!: string | null;

  @Field(() => [RouteTarget], { description: 'Where its requests may go.' })
  targets!: RouteTarget[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first; null for an alias.' })
  order!: TargetOrder | null;
}
