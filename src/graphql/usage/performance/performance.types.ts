import { Field, Float, ObjectType } from 'type-graphql';
import { TargetState } from '../../routing/configured.types.ts';
import { Count } from '../../scalars/count.ts';
import { DateTime } from '../../scalars/date-time.ts';
import { Interval, Latency } from '../usage-report.types.ts';

@ObjectType({
  description: 'How requests to a model or provider ended, and how fast it was, from the account’s own traffic.',
})
export class PerformanceFigures {
  @Field(() => Count, {
    description:
      'Attempts at the model or provider, also those after which another target served the request. Attempts that the client cancelled are not included.',
  })
  attempts!: number;

  @Field(() => Count, { description: 'Requests to it, also those that failed, were aborted or were rejected.' })
  requests!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Share of the attempts without an outage, 0 to 1. A failure is an attempt without a response or with status 500 and above; a rate limit or rejected credentials count as neither. Null without such attempts.',
  })
  uptime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Share of the attempts with an error of any kind, 0 to 1. Null without attempts.',
  })
  errorRate!: number | null;

  @Field(() => Latency, {
    nullable: true,
    description: 'Time from the request to the end of the response. Null without requests.',
  })
  latency!: Latency | null;

  @Field(() => Latency, { nullable: true, description: 'Time to first token. Null if no request had a first token.' })
  firstToken!: Latency | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Output tokens per second after the first token, over all streamed responses with more than one output token whose output took at least 100 ms. Null without any.',
  })
  tokensPerSecond!: number | null;
}

@ObjectType({ description: 'Performance in one interval.' })
export class PerformanceInterval {
  @Field(() => DateTime, { description: 'Start of the interval.' })
  start!: Date;

  @Field(() => PerformanceFigures, { description: 'The figures.' })
  figures!: PerformanceFigures;
}

@ObjectType({ description: 'Performance of one model of a provider.' })
export class PerformanceModel {
  @Field(() => String, { description: '`provider/model`.' })
  model!: string;

  @Field(() => PerformanceFigures, { description: 'The figures.' })
  figures!: PerformanceFigures;
}

@ObjectType({ description: 'Attempts that ended with one error.' })
export class PerformanceError {
  @Field(() => String, { description: 'The error code from the error catalogue.' })
  code!: string;

  @Field(() => Count, { description: 'Number of attempts.' })
  attempts!: number;
}

@ObjectType({ description: 'Performance of a model or provider over time.' })
export class PerformanceReport {
  @Field(() => DateTime, {
    description: 'Start of the range, inclusive. Rounded down to an hour in UTC for ranges of up to three days.',
  })
  from!: Date;

  @Field(() => DateTime, {
    description: 'End of the range, exclusive. Rounded up to an hour in UTC for ranges of up to three days.',
  })
  to!: Date;

  @Field(() => Interval, { description: 'Hours for ranges of up to three days, otherwise days.' })
  interval!: Interval;

  @Field(() => String, { description: 'The account’s time zone, in which days begin.' })
  timeZone!: string;

  @Field(() => PerformanceFigures, { description: 'The figures of the complete range.' })
  total!: PerformanceFigures;

  @Field(() => [PerformanceInterval], { description: 'Every interval of the range. Maximum 368.' })
  intervals!: PerformanceInterval[];

  @Field(() => [PerformanceModel], {
    description: 'The models of a provider, most attempts first. Maximum 400. Empty for a model.',
  })
  models!: PerformanceModel[];

  @Field(() => [PerformanceError], { description: 'The errors, most frequent first. Maximum 200.' })
  errors!: PerformanceError[];

  @Field(() => [TargetState], {
    description:
      'The current health of listed models with recent failures, rate limits or measurements, at the connections that the account uses.',
  })
  targets!: TargetState[];
}
