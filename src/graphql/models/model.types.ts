import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';

@ObjectType()
abstract class TokenPrices {
  @Field(() => Decimal, { description: 'Text input.' })
  input!: string;

  @Field(() => Decimal, { description: 'Text output.' })
  output!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input read from the provider’s cache. If null, the input price applies.',
  })
  cachedInput!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input written to the provider’s cache. If null, the input price applies.',
  })
  cacheWrite!: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input written to the provider’s cache for one hour. If null, `cacheWrite` applies.',
  })
  cacheWrite1h!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Reasoning output. If null, the output price applies.' })
  reasoning!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Audio input. If null, the input price applies.' })
  audioInput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Audio output. If null, the output price applies.' })
  audioOutput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Image input of an image model.' })
  imageInput!: string | null;

  @Field(() => Decimal, { nullable: true, description: 'Image output.' })
  imageOutput!: string | null;
}

@ObjectType({ description: 'Prices of a complete request with a long input, in USD per 1,000,000 tokens.' })
export class PriceTier extends TokenPrices {
  @Field(() => Int, { description: 'The tier applies to requests with more input tokens than this.' })
  aboveTokens!: number;
}

@ObjectType({ description: 'The price per unit of media.' })
export class UnitPrice {
  @Field(() => String, {
    description:
      '`image`, `megapixel`, `audio_second`, `video_second`, `character`, `search`, `document`, `file_search`, `document_search`, `x_search` or `code_execution`.',
  })
  unit!: string;

  @Field(() => Decimal, { description: 'USD per `per` units.' })
  price!: string;

  @Field(() => Int, { description: 'Number of units that `price` applies to.' })
  per!: number;

  @Field(() => String, { nullable: true, description: 'Image size: `1024x1024`. Null matches any other size.' })
  size!: string | null;

  @Field(() => String, { nullable: true, description: 'Quality: `hd`. Null matches any other quality.' })
  quality!: string | null;

  @Field(() => Float, { nullable: true, description: 'Minimum number of units that are billed. Null for none.' })
  minimum!: number | null;
}

@ObjectType({ description: 'Prices of requests that the provider served in another service tier than the default.' })
export class ServiceTierPrices extends TokenPrices {
  @Field(() => String, { description: '`priority` or `flex`.' })
  serviceTier!: string;

  @Field(() => [PriceTier], { description: 'Price tiers by input length, in ascending order.' })
  tiers!: PriceTier[];
}

@ObjectType({ description: 'Prices of a model, in USD per 1,000,000 tokens.' })
export class ModelPricing extends TokenPrices {
  @Field(() => [PriceTier], { description: 'Price tiers by input length, in ascending order.' })
  tiers!: PriceTier[];

  @Field(() => [ServiceTierPrices], { description: 'Prices of other service tiers.' })
  serviceTiers!: ServiceTierPrices[];

  @Field(() => Decimal, { nullable: true, description: 'USD per request, in addition to its tokens.' })
  request!: string | null;

  @Field(() => [UnitPrice], { description: 'Prices that are not per token.' })
  units!: UnitPrice[];

  @Field(() => String, { description: 'Source and date of the prices: `models.dev@2026-07-02`.' })
  version!: string;
}

@ObjectType({ implements: Node, description: 'A model that is available now.' })
export class Model implements Node {
  @Field(() => ID, { description: 'The name used in requests: `provider/model`.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { description: 'The prefix of the model’s name.' })
  provider!: string;

  @Field(() => Int, { nullable: true, description: 'Number of tokens.' })
  contextWindow!: number | null;

  @Field(() => Int, { nullable: true, description: 'Number of tokens.' })
  maxOutputTokens!: number | null;

  @Field(() => [String], { description: '`text`, `image`, `audio`, `video`, `file` …' })
  inputModalities!: string[];

  @Field(() => [String], { description: '`text`, `image`, `audio`, `video`, `embedding` …' })
  outputModalities!: string[];

  @Field(() => [String], {
    description: 'Supported capabilities: `chat`, `tools`, `json_schema` …',
  })
  capabilities!: string[];

  @Field(() => ModelPricing, { nullable: true, description: 'Null if the model is not billed or has no known price.' })
  pricing!: ModelPricing | null;

  @Field(() => DateTime, { nullable: true, description: 'When the vendor released the model. Null if unknown.' })
  releasedAt!: Date | null;
}

@ObjectType({ description: 'An item with its cursor.' })
export class ModelEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Model, { description: 'The item.' })
  node!: Model;
}

@ObjectType({ description: 'A page of models.' })
export class ModelConnection {
  @Field(() => [ModelEdge], { description: 'The items with their cursors.' })
  edges!: ModelEdge[];

  @Field(() => [Model], { description: 'The items without their cursors.' })
  nodes!: Model[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Total number of items over all pages.' })
  totalCount!: number;
}

@InputType({ description: 'Filters models. All conditions must match.' })
export class ModelFilter {
  @Field(() => String, { nullable: true, description: 'The prefix of the model’s name.' })
  provider?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as `chat` or `tools`.' })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: 'Matches models whose ID or name contains this text.' })
  search?: string | null;
}

export enum ModelOrder {
  ID = 'id',
  NEWEST = 'newest',
  CONTEXT_WINDOW = 'context_window',
}
registerEnumType(ModelOrder, {
  name: 'ModelOrder',
  description: 'The sort order of models.',
  valuesConfig: {
    ID: { description: 'By ID.' },
    NEWEST: { description: 'Latest release first.' },
    CONTEXT_WINDOW: { description: 'Largest context window first.' },
  },
});
