import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A rate-limit header of a provider’s response.' })
export class ProviderRateLimit {
  @Field(() => String, { description: 'Header name, in lower case: `x-ratelimit-remaining-requests`.' })
  name!: string;

  @Field(() => String, { description: 'Header value, as the provider sent it.' })
  value!: string;
}

@ObjectType({ description: 'One attempt at one provider.' })
export class UsageAttempt {
  @Field(() => String, { description: 'The provider.' })
  provider!: string;

  @Field(() => String, { description: 'The model requested from the provider.' })
  model!: string;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the response. Null if there was no response.' })
  status!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The error code from the error catalogue. Null if the attempt succeeded.',
  })
  error!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider’s error type. Null if it sent none.' })
  errorType!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider’s error code. Null if it sent none.' })
  errorCode!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The provider’s error message, without secrets and truncated to 500 characters, or the gateway’s own message if the provider sent none. Null for accounts that do not store content.',
  })
  errorMessage!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The provider’s own ID of the request, for its support. Null if it sent none.',
  })
  requestId!: string | null;

  @Field(() => [ProviderRateLimit], { description: 'The rate-limit headers of a failed attempt, at most 16.' })
  rateLimits!: ProviderRateLimit[];

  @Field(() => Int, {
    nullable: true,
    description: 'Time from the request to the start of the attempt, in milliseconds. Null if it was not recorded.',
  })
  startedMs!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Time from the start of the attempt to the head of the response, in milliseconds. Null if the response was not streamed.',
  })
  headMs!: number | null;

  @Field(() => Int, { description: 'Duration in milliseconds.' })
  durationMs!: number;
}
