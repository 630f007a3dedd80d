import { Field, Float, Int, ObjectType } from 'type-graphql';
import { DataPolicy } from '../models/model.types.ts';
import { BreakerState, TargetOrder } from './route-preview.types.ts';
import { RouteTarget } from './route.types.ts';

@ObjectType({ description: 'The health of a model at the connection in use, measured from real requests.' })
export class TargetState {
  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => BreakerState, { description: 'State of the circuit breaker.' })
  breaker!: BreakerState;

  @Field(() => Int, {
    description: 'Estimated time until the target is available again, in milliseconds. 0 if it is available.',
  })
  availableInMs!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Measured time to first token, in milliseconds. Null if unknown.',
  })
  firstTokenMs!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Throughput of streamed responses in output tokens per second, measured as `OutputSpeed`. Null if unknown.',
  })
  tokensPerSecond!: number | null;
}

@ObjectType({
  description: 'A provider that is available to the account, through its own connection or the server’s.',
})
export class ProviderState {
  @Field(() => String, { description: 'The prefix of the provider’s models.' })
  provider!: string;

  @Field(() => Boolean, { description: 'Whether the account’s own connection is used instead of the server’s.' })
  ownConnection!: boolean;

  @Field(() => Int, { description: 'Number of listed models of the provider.' })
  modelCount!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Region of the endpoint, by the provider’s name for it. Null if unknown.',
  })
  region!: string | null;

  @Field(() => DataPolicy, { description: 'What the provider does with the data of requests.' })
  dataPolicy!: DataPolicy;

  @Field(() => [TargetState], {
    description:
      'Listed models with recent failures or rate limits, or with a throughput that was measured in the last minutes.',
  })
  targets!: TargetState[];
}

@ObjectType({
  description: 'A route or alias that the operator defined for all accounts. `routes` lists the account’s own routes.',
})
export class ServerRoute {
  @Field(() => String, { description: 'The name used in requests.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The target of the alias. Null for a route.' })
  aliasOf!: string | null;

  @Field(() => [RouteTarget], { description: 'The targets.' })
  targets!: RouteTarget[];

  @Field(() => TargetOrder, { nullable: true, description: 'Which target is tried first. Null for an alias.' })
  order!: TargetOrder | null;
}
