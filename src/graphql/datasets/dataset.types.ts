import { Field, ID, Int, ObjectType } from 'type-graphql';
import { LoggedRedaction } from '../content-log/logged-content.types.ts';
import { Node } from '../relay/node.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';

/** Of a field that may have up to 1 MB. */
const CONTENT_COMPLEXITY = 2;

@ObjectType({ implements: Node, description: 'A named list of copies of logged requests.' })
export class Dataset implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => Int, { description: 'Number of items.' })
  itemCount!: number;

  @Field(() => Count, { description: 'Size of the items in bytes, before they are compressed.' })
  bytes!: number;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was renamed, or its items changed.' })
  updatedAt!: Date;
}

@ObjectType({
  implements: Node,
  description: 'A copy of the redacted content of a request. It is kept until it is removed.',
})
export class DatasetItem implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => ID, {
    description: 'ID of the `UsageLog` that it copies, which may have expired.',
  })
  usageLogId!: string;

  @Field(() => Count, { description: 'Size in bytes, before it is compressed.' })
  bytes!: number;

  @Field(() => DateTime, { description: 'When it was added.' })
  createdAt!: Date;

  @Field(() => JsonValue, {
    nullable: true,
    complexity: CONTENT_COMPLEXITY,
    description: 'The messages in the format of `POST /v1/chat/completions`. Null if the item cannot be decrypted.',
  })
  messages!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    complexity: CONTENT_COMPLEXITY,
    description: 'The other parameters, tools included. Null if the item cannot be decrypted.',
  })
  parameters!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    complexity: CONTENT_COMPLEXITY,
    description: 'The message of the assistant. Null if the request had no output, or the item cannot be decrypted.',
  })
  output!: unknown;

  @Field(() => String, { nullable: true, description: 'The requested model. Null if the item cannot be decrypted.' })
  model!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the request was made. Null if the item cannot be decrypted.',
  })
  requestedAt!: Date | null;

  @Field(() => [LoggedRedaction], { description: 'What was redacted before the content was stored.' })
  redactions!: LoggedRedaction[];

  @Field(() => [String], { description: 'Paths of what the copy does not contain, such as media.' })
  dropped!: string[];
}

@ObjectType({ description: 'A dataset in a page.' })
export class DatasetEdge {
  @Field(() => Dataset, { description: 'The dataset.' })
  node!: Dataset;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of datasets.' })
export class DatasetConnection {
  @Field(() => [DatasetEdge], { description: 'The datasets with their cursors.' })
  edges!: DatasetEdge[];

  @Field(() => [Dataset], { description: 'The datasets.' })
  nodes!: Dataset[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'An item in a page.' })
export class DatasetItemEdge {
  @Field(() => DatasetItem, { description: 'The item.' })
  node!: DatasetItem;

  @Field(() => Cursor, { description: 'Its position, for `after` and `before`.' })
  cursor!: string;
}

@ObjectType({ description: 'A page of items. It ends early where its items are long.' })
export class DatasetItemConnection {
  @Field(() => [DatasetItemEdge], { description: 'The items with their cursors.' })
  edges!: DatasetItemEdge[];

  @Field(() => [DatasetItem], { description: 'The items.' })
  nodes!: DatasetItem[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}

@ObjectType({ description: 'What the datasets of an account have together, and may have.' })
export class DatasetStorage {
  @Field(() => Int, { description: 'Number of items.' })
  itemCount!: number;

  @Field(() => Int, { description: 'Maximum number of items.' })
  maxItems!: number;

  @Field(() => Count, { description: 'Size of the items, and of the items and outputs of runs, in bytes.' })
  usedBytes!: number;

  @Field(() => Count, { description: 'Maximum size in bytes.' })
  maxBytes!: number;
}

@ObjectType({ description: 'A request that was not added to a dataset.' })
export class SkippedDatasetItem {
  @Field(() => ID, { description: 'ID of the `UsageLog`.' })
  usageLogId!: string;

  @Field(() => String, { description: 'Why it was not added.' })
  reason!: string;
}

@ObjectType({ description: 'What was added to a dataset.' })
export class AddedToDataset {
  @Field(() => Dataset, { description: 'The dataset.' })
  dataset!: Dataset;

  @Field(() => Int, { description: 'Number of items that were added.' })
  added!: number;

  @Field(() => [SkippedDatasetItem], { description: 'The other requests.' })
  skipped!: SkippedDatasetItem[];
}
