import { Field, InputType, Int, ObjectType } from 'type-graphql';

/** Only a base class: not a type in the schema. */
@ObjectType()
abstract class Rates {
  @Field(() => Int, { nullable: true, description: 'Requests per minute.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Input and output tokens per minute.' })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests per day.' })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Concurrent requests.' })
  concurrency?: number | null;
}

@InputType()
abstract class RatesInput {
  @Field(() => Int, { nullable: true, description: 'Requests per minute.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Input and output tokens per minute.' })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests per day.' })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Concurrent requests.' })
  concurrency?: number | null;
}

@ObjectType({ description: 'Limits of a key for requests whose first target is this model. Null means no limit.' })
export class ModelLimitSettings extends Rates {
  @Field(() => String, { description: 'A model as used in requests (`provider/model` or the bare name), or a route.' })
  model!: string;
}

@ObjectType({ description: 'Limits of a key for one capability. Null means no limit.' })
export class CapabilityLimitSettings extends Rates {
  @Field(() => String, {
    description: '`chat`, `embeddings`, `images`, `moderation`, `rerank`, `speech`, `transcription` or `video`.',
  })
  capability!: string;
}

@ObjectType({ description: 'An API key’s own limits. Null means the default.' })
export class KeyLimitSettings extends Rates {
  @Field(() => [ModelLimitSettings], { description: 'Additional limits per model.' })
  perModel!: ModelLimitSettings[];

  @Field(() => [CapabilityLimitSettings], { description: 'Additional limits per capability.' })
  perCapability!: CapabilityLimitSettings[];

  @Field(() => [String], { description: 'The models of `perModel`: for lists of keys, at no cost.' })
  limitedModels!: string[];

  @Field(() => [String], { description: 'The capabilities of `perCapability`: for lists of keys, at no cost.' })
  limitedCapabilities!: string[];
}

@InputType({
  description: 'Limits of a key for requests whose first target is this model. At least one limit is required.',
})
export class ModelLimits extends RatesInput {
  @Field(() => String, { description: 'A model as used in requests (`provider/model` or the bare name), or a route.' })
  model!: string;
}

@InputType({ description: 'Limits of a key for one capability. At least one limit is required.' })
export class CapabilityLimits extends RatesInput {
  @Field(() => String, {
    description: '`chat`, `embeddings`, `images`, `moderation`, `rerank`, `speech`, `transcription` or `video`.',
  })
  capability!: string;
}

@InputType({ description: 'An API key’s own limits. An absent limit uses the default.' })
export class KeyLimits extends RatesInput {
  @Field(() => [ModelLimits], {
    nullable: true,
    description: 'Additional limits per model. Maximum 50.',
  })
  perModel?: ModelLimits[] | null;

  @Field(() => [CapabilityLimits], {
    nullable: true,
    description: 'Additional limits per capability.',
  })
  perCapability?: CapabilityLimits[] | null;
}
