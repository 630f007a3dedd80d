import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { DateTime } from '../scalars/date-time.ts';
import { Decimal } from '../scalars/decimal.ts';

@ObjectType({ description: 'What a model costs, in USD per 1,000,000 tokens.' })
export class ModelPricing {
  @Field(() => Decimal)
  input!: string;

  @Field(() => Decimal)
  output!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Input read from the provider’s cache; the input price where null.',
  })
  cachedInput!: string | null;
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
