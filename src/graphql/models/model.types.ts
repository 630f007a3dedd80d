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

@ObjectType({ description: 'That a provider retires a model, as its documentation or the catalogue states.' })
export class ModelDeprecation {
  @Field(() => DateTime, { nullable: true, description: 'Day of the announcement. Null if unknown.' })
  announcedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Day on which the provider stops serving the model, 00:00 UTC. Null if unknown.',
  })
  shutdownAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'The model that the provider recommends: `provider/model`. It need not be available. Null if unknown.',
  })
  replacement!: string | null;

  @Field(() => String, { description: 'URL of the page that states it.' })
  source!: string;

  @Field(() => DateTime, { description: 'Day on which that page was read.' })
  readAt!: Date;
}

@ObjectType({ description: 'What a provider does with the data of API requests.' })
export class DataPolicy {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the provider trains models with the data of requests. Null if unknown.',
  })
  trainsOnData!: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Maximum number of days for which the provider retains requests and responses. 0 for zero retention, null if unknown.',
  })
  retentionDays!: number | null;

  @Field(() => Boolean, {
    description: 'Whether the owner of the connection states at least one of the two, for example by a contract.',
  })
  isSetByConnection!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'URL of the provider’s page that states what the connection does not. Null if there is none.',
  })
  source!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Day on which that page was read.' })
  readAt!: Date | null;
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

  @Field(() => Boolean, {
    description: 'Whether the model is billed and has no known price: the cost of its requests is counted as 0.',
  })
  isUnpriced!: boolean;

  @Field(() => ModelDeprecation, {
    nullable: true,
    description: 'That the provider retires the model. Null if no source states it.',
  })
  deprecation!: ModelDeprecation | null;

  @Field(() => DateTime, { nullable: true, description: 'When the vendor released the model. Null if unknown.' })
  releasedAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Region of the endpoint that serves the model, by the provider’s name for it: `eu`, `eu-central-1`. Null if unknown, or if the targets of a route differ.',
  })
  region!: string | null;

  @Field(() => DataPolicy, {
    description: 'What the provider does with the data of requests. For a route, what holds for each of its targets.',
  })
  dataPolicy!: DataPolicy;
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

  @Field(() => Boolean, {
    nullable: true,
    description: 'True for models that their provider retires, false for all others.',
  })
  deprecated?: boolean | null;

  @Field(() => [String], { nullable: true, description: 'Supports each of these capabilities. Maximum 16.' })
  capabilities?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Accepts this modality: `text`, `image`, `audio`, `video`, `file`.',
  })
  inputModality?: string | null;

  @Field(() => String, { nullable: true, description: 'Returns this modality: `text`, `image`, `audio`, `video` …' })
  outputModality?: string | null;

  @Field(() => Int, { nullable: true, description: 'The context window has at least this number of tokens.' })
  minContextWindow?: number | null;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'Text input costs at most this much, in USD per 1,000,000 tokens. Excludes models with prices per other units only, and models without a known price. Models that are not billed match.',
  })
  maxInputPrice?: string | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The same for text output.',
  })
  maxOutputPrice?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Served by an endpoint in this region: one of `modelRegions`. Models of unknown regions do not match.',
  })
  region?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the provider trains models with the data of requests. Models of an unknown policy match neither value.',
  })
  trainsOnData?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The provider retains requests and responses for at most this number of days; 0 for zero retention. Models of an unknown policy do not match.',
  })
  maxRetentionDays?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Matches models whose ID or name contains each of the words of this text, ignoring case.',
  })
  search?: string | null;
}

export enum ModelOrder {
  ID = 'id',
  NEWEST = 'newest',
  CONTEXT_WINDOW = 'context_window',
  INPUT_PRICE = 'input_price',
  OUTPUT_PRICE = 'output_price',
}
registerEnumType(ModelOrder, {
  name: 'ModelOrder',
  description: 'The sort order of models.',
  valuesConfig: {
    ID: { description: 'By ID.' },
    NEWEST: { description: 'Latest release first.' },
    CONTEXT_WINDOW: { description: 'Largest context window first.' },
    INPUT_PRICE: { description: 'Lowest price of text input first. Models without a price per token are last.' },
    OUTPUT_PRICE: { description: 'Lowest price of text output first. Models without a price per token are last.' },
  },
});
