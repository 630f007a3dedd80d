import { Field, Float, ObjectType } from 'type-graphql';
import { Count } from '../../scalars/count.ts';
import { DateTime } from '../../scalars/date-time.ts';
import { Money } from '../../scalars/money.type.ts';

@ObjectType({ description: 'Output tokens per second, counted from the first token to the end of the response.' })
export class OutputSpeed {
  @Field(() => Float, { description: 'Arithmetic mean.' })
  mean!: number;

  @Field(() => Float, { description: '50th percentile.' })
  p50!: number;

  @Field(() => Float, { description: '95th percentile: 5% of the requests were faster.' })
  p95!: number;

  @Field(() => Float, { description: '99th percentile: 1% of the requests were faster.' })
  p99!: number;
}

@ObjectType({ description: 'Figures of sampled requests.' })
export class UsageSampleFigures {
  @Field(() => Count, { description: 'Number of requests in the sample.' })
  requests!: number;

  @Field(() => Boolean, { description: 'Whether the sample contains every request. If not, it has the latest ones.' })
  isComplete!: boolean;

  @Field(() => OutputSpeed, { nullable: true, description: 'Null if the sample has no streamed response.' })
  outputSpeed!: OutputSpeed | null;

  @Field(() => Count, {
    description: 'Number of requests of which a part of the input was read from the provider’s prompt cache.',
  })
  promptCacheRequests!: number;

  @Field(() => Money, {
    description:
      'What the providers’ prompt caches saved, compared with the same requests without them. Negative if writing to the caches cost more. Requests without a price are not included.',
  })
  promptCacheSavings!: Money;

  @Field(() => Count, { description: 'Number of requests with a response from the response cache.' })
  responseCacheRequests!: number;

  @Field(() => Money, {
    description:
      'What the response cache saved: the cost of the same requests at the price of the latest billed request of the model. Models without a price are not included.',
  })
  responseCacheSavings!: Money;
}

@ObjectType({ description: 'Figures of the sampled requests of one interval.' })
export class UsageSampleInterval {
  @Field(() => DateTime, { description: 'Start of the interval.' })
  start!: Date;

  @Field(() => UsageSampleFigures, { description: 'Figures of the interval.' })
  figures!: UsageSampleFigures;
}

@ObjectType({
  description: 'Figures that are computed from a sample of the request log. Rejected requests are not included.',
})
export class UsageSample {
  @Field(() => DateTime, { description: 'Effective start of the range, aligned to a quarter of an hour.' })
  from!: Date;

  @Field(() => DateTime, { description: 'Effective end of the range, aligned to a quarter of an hour.' })
  to!: Date;

  @Field(() => String, { description: 'The account’s time zone, used for the start of days.' })
  timeZone!: string;

  @Field(() => UsageSampleFigures, { description: 'Figures of all sampled requests.' })
  total!: UsageSampleFigures;

  @Field(() => [UsageSampleInterval], {
    description: 'Intervals with requests, in order. Empty if no interval is requested.',
  })
  intervals!: UsageSampleInterval[];
}
