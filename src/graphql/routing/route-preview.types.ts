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
  description: 'Which target of a route is tried first.',
  valuesConfig: {
    LISTED: { description: 'As they are listed.' },
    WEIGHTED: { description: 'At random, by weight.' },
    PRICE: { description: 'The cheapest for the request.' },
    LATENCY: { description: 'The shortest measured time to the first token.' },
    THROUGHPUT: { description: 'The most measured tokens a second.' },
  },
});

export enum BreakerState {
  CLOSED = 'closed',
  OPEN = 'open',
  HALF_OPEN = 'half-open',
}
registerEnumType(BreakerState, {
  name: 'BreakerState',
  description: 'The circuit breaker of one model at one connection.',
  valuesConfig: {
    CLOSED: { description: 'It works.' },
    OPEN: { description: 'It failed too often, and is passed over while another can serve.' },
    HALF_OPEN: { description: 'One request may find out whether it works again.' },
  },
});

export enum ParameterPolicy {
  STRICT = 'strict',
  DROP = 'drop',
}
registerEnumType(ParameterPolicy, {
  name: 'ParameterPolicy',
  description: 'What becomes of a parameter that a provider cannot take.',
  valuesConfig: {
    STRICT: { description: 'The request is refused, with the parameter’s name.' },
    DROP: { description: 'It is left out, and named in `x-sluice-dropped-params`.' },
  },
});

@InputType({ description: 'What is known of the request; what is absent is assumed to be usual.' })
export class RoutePreviewInput {
  @Field(() => String, { nullable: true, description: 'Who stays at one target under `sticky`.' })
  endUser?: string | null;

  @Field(() => Int, { nullable: true, description: '1,000 where absent.' })
  inputTokens?: number | null;

  @Field(() => Int, { nullable: true, description: '500 where absent.' })
  outputTokens?: number | null;
}

@ObjectType({ description: 'A target that a request would be tried at.' })
export class RoutePreviewStep {
  @Field(() => ID, { description: '`provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'The prefix of its models.' })
  provider!: string;

  @Field(() => Boolean, { description: 'Whether the account’s own key is used, and not the operator’s.' })
  ownConnection!: boolean;

  @Field(() => Float, { description: 'Its part of all weights, from 0 to 1.' })
  share!: number;

  @Field(() => BreakerState, { description: 'Whether it is tried now.' })
  breaker!: BreakerState;

  @Field(() => Int, { description: 'When it may be worth trying again, in milliseconds; 0 for now.' })
  availableInMs!: number;

  @Field(() => Float, { nullable: true, description: 'Measured, in milliseconds; null where it is not known.' })
  firstTokenMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Measured; null where it is not known.' })
  tokensPerSecond!: number | null;

  @Field(() => Money, { nullable: true, description: 'What the request may cost there; null where no price is known.' })
  estimatedCost!: Money | null;

  @Field(() => String, { description: 'Why it stands where it stands.' })
  reason!: string;
}

@ObjectType({ description: 'Where a request would go now. Nothing is sent to find out.' })
export class RoutePreview {
  @Field(() => String, { description: 'As requests name it.' })
  name!: string;

  @Field(() => TargetOrder, { description: 'Which target is tried first.' })
  order!: TargetOrder;

  @Field(() => Boolean, { description: 'Whether an end user stays at one target.' })
  sticky!: boolean;

  @Field(() => ParameterPolicy, { description: 'What becomes of a parameter that a provider cannot take.' })
  parameters!: ParameterPolicy;

  @Field(() => Int, { description: 'How often an only target is tried again.' })
  retries!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'How long answers are kept for requests alike; null for not at all.',
  })
  cacheSeconds!: number | null;

  @Field(() => [RoutePreviewStep], { description: 'In the order in which they would be tried.' })
  steps!: RoutePreviewStep[];

  @Field(() => ID, { nullable: true, description: 'Where it goes if its input is too long for them.' })
  larger!: string | null;
}
