import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Money } from '../scalars/money.type.ts';

export enum TargetOrder {
  LISTED = 'listed',
  WEIGHTED = 'weighted',
  PRICE = 'price',
  LATENCY = 'latency',
  THROUGHPUT = 'throughput',
}
registerEnumType(TargetOrder, {
  name: 'TargetOrder',
  description: 'The order in which the targets of a route are tried.',
  valuesConfig: {
    LISTED: { description: 'In the listed order.' },
    WEIGHTED: { description: 'Random, by weight.' },
    PRICE: { description: 'The cheapest for the request first.' },
    LATENCY: { description: 'The shortest measured time to first token first.' },
    THROUGHPUT: { description: 'The highest measured throughput first, in tokens per second.' },
  },
});

export enum BreakerState {
  CLOSED = 'closed',
  OPEN = 'open',
  HALF_OPEN = 'half-open',
}
registerEnumType(BreakerState, {
  name: 'BreakerState',
  description: 'The state of the circuit breaker of a model at a connection.',
  valuesConfig: {
    CLOSED: { description: 'Requests are sent.' },
    OPEN: { description: 'Too many requests failed. The target is skipped while another can serve the request.' },
    HALF_OPEN: { description: 'A single trial request is sent to test the target.' },
  },
});

export enum ParameterPolicy {
  STRICT = 'strict',
  DROP = 'drop',
}
registerEnumType(ParameterPolicy, {
  name: 'ParameterPolicy',
  description: 'What happens to a parameter that a provider does not support.',
  valuesConfig: {
    STRICT: { description: 'The request is rejected, and the error names the parameter.' },
    DROP: { description: 'The parameter is dropped and listed in `x-sluice-dropped-params`.' },
  },
});

export enum BatchMode {
  PROVIDER = 'provider',
  SLUICE = 'sluice',
}
registerEnumType(BatchMode, {
  name: 'BatchMode',
  description: 'Who runs requests of batches.',
  valuesConfig: {
    PROVIDER: { description: 'The batch API of the first target’s provider, at its batch price, where it has one.' },
    SLUICE: { description: 'The server, one by one, at the price of other requests.' },
  },
});

@InputType({ description: 'Properties of a request. Absent properties use defaults.' })
export class RoutePreviewInput {
  @Field(() => String, { nullable: true, description: 'The end user ID, used for sticky routing.' })
  endUser?: string | null;

  @Field(() => Int, { nullable: true, description: 'Input tokens. Default 1,000.' })
  inputTokens?: number | null;

  @Field(() => Int, { nullable: true, description: 'Output tokens. Default 500.' })
  outputTokens?: number | null;
}

@ObjectType({ description: 'A target that a request would be sent to.' })
export class RoutePreviewStep {
  @Field(() => ID, { description: '`provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'The prefix of the provider’s models.' })
  provider!: string;

  @Field(() => Boolean, { description: 'Whether the account’s own connection is used instead of the server’s.' })
  ownConnection!: boolean;

  @Field(() => Float, { description: 'Share of the total weight, from 0 to 1.' })
  share!: number;

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

  @Field(() => Money, { nullable: true, description: 'Estimated cost of the request. Null if no price is known.' })
  estimatedCost!: Money | null;

  @Field(() => String, { description: 'Why the target has this position.' })
  reason!: string;
}

@ObjectType({ description: 'The targets that a request would be sent to now. No request is sent.' })
export class RoutePreview {
  @Field(() => String, { description: 'The name used in requests.' })
  name!: string;

  @Field(() => TargetOrder, { description: 'Which target is tried first.' })
  order!: TargetOrder;

  @Field(() => Boolean, { description: 'Whether requests of the same end user use the same target.' })
  sticky!: boolean;

  @Field(() => ParameterPolicy, { description: 'What happens to a parameter that a provider does not support.' })
  parameters!: ParameterPolicy;

  @Field(() => Int, { description: 'Number of retries if the route has a single target.' })
  retries!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'How long responses are cached for identical requests, in seconds. Null if they are not cached.',
  })
  cacheSeconds!: number | null;

  @Field(() => [RoutePreviewStep], { description: 'Targets in the order in which they would be tried.' })
  steps!: RoutePreviewStep[];

  @Field(() => ID, { nullable: true, description: 'The target if the input is too long for the others.' })
  larger!: string | null;
}
