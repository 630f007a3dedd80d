import { Field, InputType, Int, ObjectType } from 'type-graphql';

/** No type of its own in the schema: it lends its fields. */
@ObjectType()
abstract class Rates {
  @Field(() => Int, { nullable: true, description: 'Requests in a minute.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of input and output in a minute.' })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests in a day.' })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests at the same time.' })
  concurrency?: number | null;
}

@InputType()
abstract class RatesInput {
  @Field(() => Int, { nullable: true, description: 'Requests in a minute.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of input and output in a minute.' })
  tokensPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests in a day.' })
  requestsPerDay?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests at the same time.' })
  concurrency?: number | null;
}

@ObjectType({ description: 'What bounds a key’s requests that are tried at one model first; null bounds nothing.' })
export class ModelLimitSettings extends Rates {
  @Field(() => String, { description: 'A model as requests name it, `provider/model` or bare, or a route.' })
  model!: string;
}

@ObjectType({ description: 'What bounds a key’s requests for one capability; null bounds nothing.' })
export class CapabilityLimitSettings extends Rates {
  @Field(() => String, {
    description: '`chat`, `embeddings`, `images`, `moderation`, `rerank`, `speech`, `transcription` or `video`.',
  })
  capability!: string;
}

@ObjectType({ description: 'A key’s own limits; null means the default.' })
export class KeyLimitSettings extends Rates {
  @Field(() => [ModelLimitSettings], { description: 'Beside these, what bounds its requests for a model.' })
  perModel!: ModelLimitSettings[];

  @Field(() => [CapabilityLimitSettings], { description: 'Beside these, what bounds its requests for a capability.' })
  perCapability!: CapabilityLimitSettings[];
}

@InputType({ description: 'What bounds a key’s requests that are tried at one model first: one limit at least.' })
export class ModelLimits extends RatesInput {
  @Field(() => String, { description: 'A model as requests name it, `provider/model` or bare, or a route.' })
  model!: string;
}

@InputType({ description: 'What bounds a key’s requests for one capability: one limit at least.' })
export class CapabilityLimits extends RatesInput {
  @Field(() => String, {
    description: '`chat`, `embeddings`, `images`, `moderation`, `rerank`, `speech`, `transcription` or `video`.',
  })
  capability!: string;
}

@InputType({ description: 'A key’s own limits; an absent one means the default.' })
export class KeyLimits extends RatesInput {
  @Field(() => [ModelLimits], {
    nullable: true,
    description: 'Up to 50, each for a model: they bound its requests beside these.',
  })
  perModel?: ModelLimits[] | null;

  @Field(() => [CapabilityLimits], {
    nullable: true,
    description: 'Each for a capability: they bound its requests beside these.',
  })
  perCapability?: CapabilityLimits[] | null;
}
