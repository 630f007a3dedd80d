import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';

@ObjectType()
abstract class TokenPrices {
  @Field(() => Decimal, { description: 'Input that is text.' })
  input!: string;

  @Field(() => Decimal, { description: 'Output that is text.' })
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

  @Field(() => Int, { description: 'How many units `price` is for.' })
  per!: number;

  @Field(() => String, { nullable: true, description: 'Of which size: `1024x1024`. Any other where null.' })
  size!: string | null;

  @Field(() => String, { nullable: true, description: 'Of which quality: `hd`. Any other where null.' })
  quality!: string | null;

  @Field(() => Float, { nullable: true, description: 'So many units are paid for at least. None where null.' })
  minimum!: number | null;
}

@ObjectType({ description: 'Prices of requests that the provider served in another class than the usual one.' })
export class ServiceTierPrices extends TokenPrices {
  @Field(() => String, { description: '`priority` or `flex`.' })
  serviceTier!: string;

  @Field(() => [PriceTier], { description: 'By the length of the input, the shortest first.' })
  tiers!: PriceTier[];
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

@ObjectType({ implements: Node, description: 'A model that can be called now.' })
export class Model implements Node {
  @Field(() => ID, { description: 'The name that requests use: `provider/model`.' })
  id!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => String, { description: 'The prefix of its name.' })
  provider!: string;

  @Field(() => Int, { nullable: true, description: 'Tokens.' })
  contextWindow!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens.' })
  maxOutputTokens!: number | null;

  @Field(() => [String], { description: '`text`, `image`, `audio`, `video`, `file` …' })
  inputModalities!: string[];

  @Field(() => [String], { description: '`text`, `image`, `audio`, `video`, `embedding` …' })
  outputModalities!: string[];

  @Field(() => [String], {
    description: 'What it can be called for, and what it supports: `chat`, `tools`, `json_schema` …',
  })
  capabilities!: string[];

  @Field(() => ModelPricing, { nullable: true, description: 'Null where it is not billed, or no price is known.' })
  pricing!: ModelPricing | null;

  @Field(() => DateTime, { nullable: true, description: 'When its maker released it; null where it is not known.' })
  releasedAt!: Date | null;
}

@ObjectType({ description: 'An item of a page.' })
export class ModelEdge {
  @Field(() => Cursor, { description: 'Where it stands: what `after` and `before` take.' })
  cursor!: string;

  @Field(() => Model, { description: 'The item.' })
  node!: Model;
}

@ObjectType({ description: 'A page of models.' })
export class ModelConnection {
  @Field(() => [ModelEdge], { description: 'With their cursors.' })
  edges!: ModelEdge[];

  @Field(() => [Model], { description: 'The same without their cursors.' })
  nodes!: Model[];

  @Field(() => PageInfo, { description: 'Where the page stands.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}

@InputType({ description: 'Which models are listed; each that is given narrows.' })
export class ModelFilter {
  @Field(() => String, { nullable: true, description: 'The prefix of their names.' })
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
registerEnumType(ModelOrder, {
  name: 'ModelOrder',
  description: 'By id, or the newest or the largest context first.',
  valuesConfig: {
    ID: { description: 'By id.' },
    NEWEST: { description: 'The latest released first.' },
    CONTEXT_WINDOW: { description: 'The largest context first.' },
  },
});
