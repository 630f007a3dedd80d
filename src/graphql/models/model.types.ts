import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';

@ObjectType()
abstract class TokenPrices {
  @Field(() => Decimal)
  input!: string;

  @Field(() => Decimal)
  output!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input read from the provider’s cache; the input price where null.',
  })
  cachedInput!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input written to the provider’s cache; the input price where null.',
  })
  cacheWrite!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'The same, kept for an hour; `cacheWrite` where null.' })
  cacheWrite1h!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Output that is reasoning; the output price where null.' })
  reasoning!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'The input price where null.' })
  audioInput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'The output price where null.' })
  audioOutput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Tokens of pictures given to a model that draws.' })
  imageInput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Tokens of pictures made.' })
  imageOutput!: string | null;
}

@ObjectType({ description: 'What a whole request costs whose input is long, in USD per 1,000,000 tokens.' })
export class PriceTier extends TokenPrices {
  @Field(() => Int, { description: 'It counts for more input tokens than these.' })
  aboveTokens!: number;
}

@ObjectType({ description: 'What one unit of media costs.' })
export class UnitPrice {
  @Field(() => String, {
    description: '`image`, `megapixel`, `audio_second`, `video_second`, `character`, `search` or `document`.',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'USD per so many units as `per` says.' })
  price!: string;

  @Field(() => Int)
  per!: number;

  @Field(() => String, { nullable: true, description: 'Of which size: `1024x1024`. Any other where null.' })
  size!: string | null;

  @Field(() => String, { nullable: true, description: 'Of which quality: `hd`. Any other where null.' })
  quality!: string | null;
}

@ObjectType({ description: 'Prices of requests that the provider served in another class than the usual one.' })
export class ServiceTierPrices extends TokenPrices {
  @Field(() => String, { description: '`priority` or `flex`.' })
  serviceTier!: string;
}

@ObjectType({ description: 'What a model costs, in USD per 1,000,000 tokens.' })
export class ModelPricing extends TokenPrices {
  @Field(() => [PriceTier], { description: 'By the length of the input, the shortest first.' })
  tiers!: PriceTier[];

  @Field(() => [ServiceTierPrices], { description: 'By class of service, where the model has others.' })
  serviceTiers!: ServiceTierPrices[];

  @Field(() => Decimal, { nullable: true, description: 'USD for each request, beside its tokens.' })
  request!: string | null;

  @Field(() => [UnitPrice], { description: 'What is not counted in tokens.' })
  units!: UnitPrice[];

  @Field(() => String, { description: 'Where the prices are from, and of which day: `models.dev@2026-07-02`.' })
  version!: string;
}

@ObjectType({ description: 'A model that can be called now.' })
export class Model {
  @Field(() => ID, { description: 'The name that requests use: `provider/model`.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => String)
  provider!: string;

  @Field(() => Int, { nullable: true, description: 'Tokens.' })
  contextWindow!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens.' })
  maxOutputTokens!: number | null;

  @Field(() => [String])
  inputModalities!: string[];

  @Field(() => [String])
  outputModalities!: string[];

  @Field(() => [String], {
    description: 'What it can be called for, and what it supports: `chat`, `tools`, `json_schema` …',
  })
  capabilities!: string[];

  @Field(() => ModelPricing, { nullable: true, description: 'Null where it is not billed, or no price is known.' })
  pricing!: ModelPricing | null;

  @Field(() => DateTime, { nullable: true })
  releasedAt!: Date | null;
}

@ObjectType()
export class ModelEdge {
  @Field(() => String)
  cursor!: string;

  @Field(() => Model)
  node!: Model;
}

@ObjectType({ description: 'A page of models.' })
export class ModelConnection {
  @Field(() => [ModelEdge])
  edges!: ModelEdge[];

  @Field(() => [Model])
  nodes!: Model[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}

@InputType()
export class ModelFilter {
  @Field(() => String, { nullable: true })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as `chat` or `tools`.' })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: 'A part of its id or name.' })
  search?: string | null;
}

export enum ModelOrder {
  ID = 'id',
  NEWEST = 'newest',
  CONTEXT_WINDOW = 'context_window',
}
registerEnumType(ModelOrder, { name: 'ModelOrder', description: 'By id, or the newest or the largest context first.' });
