import { Field, ObjectType, registerEnumType } from 'type-graphql';

export enum OrderedBy {
  LISTED = 'listed',
  WEIGHTED = 'weighted',
  PRICE = 'price',
  LATENCY = 'latency',
  THROUGHPUT = 'throughput',
  STICKY = 'sticky',
  CONVERSATION = 'conversation',
}

registerEnumType(OrderedBy, {
  name: 'OrderedBy',
  description: 'What put the targets of a request in order.',
  valuesConfig: {
    LISTED: { description: 'The order of the route.' },
    WEIGHTED: { description: 'Chance, by the weights of the route.' },
    PRICE: { description: 'The estimated cost of the request, the cheapest first.' },
    LATENCY: { description: 'The measured time to the first token, the shortest first.' },
    THROUGHPUT: { description: 'The measured tokens per second, the most first.' },
    STICKY: { description: 'The end user, who stays at one target.' },
    CONVERSATION: { description: 'The conversation, whose prompt the first target has in its cache.' },
  },
});

export enum SkipReason {
  NOT_ALLOWED = 'not_allowed',
  COOLING_DOWN = 'cooling_down',
}

registerEnumType(SkipReason, {
  name: 'SkipReason',
  description: 'Why a target was skipped.',
  valuesConfig: {
    NOT_ALLOWED: { description: 'The API key or the plan may not use it, or its price is not known.' },
    COOLING_DOWN: { description: 'It failed or was limited recently: targets without recent failures go first.' },
  },
});

@ObjectType({ description: 'A target that was skipped.' })
export class SkippedTarget {
  @Field(() => String, { description: 'The provider.' })
  provider!: string;

  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => SkipReason, { description: 'Why it was not tried.' })
  reason!: SkipReason;
}

@ObjectType({ description: 'How the targets of a request were selected.' })
export class UsageRouting {
  @Field(() => OrderedBy, { description: 'What put them in order.' })
  orderedBy!: OrderedBy;

  @Field(() => [SkippedTarget], { description: 'Targets that were skipped, at most 16.' })
  skipped!: SkippedTarget[];
}
