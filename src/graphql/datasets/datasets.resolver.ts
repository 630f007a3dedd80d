import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { DatasetReader } from '../../services/datasets/dataset-reader.ts';
import type { DatasetsService } from '../../services/datasets/datasets.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import {
  fromCursor,
  fromTimeCursor,
  invalidCursor,
  MAX_PAGE_SIZE,
  PageArgs,
  pageRequest,
  toConnection,
  toCursor,
} from '../relay/page.ts';
import { isContentSelected } from './content-selected.ts';
import { AddToDatasetInput } from './dataset.input.ts';
import { toDataset, toDatasetItem } from './dataset.mapping.ts';
import { AddedToDataset, Dataset, DatasetConnection, DatasetItemConnection, DatasetStorage } from './dataset.types.ts';

/** A page decrypts up to 1 MB. */
const PAGE_COMPLEXITY = 10;
const nameDescription = 'Display name. Maximum 200 characters.';

@Resolver(() => Dataset)
export class DatasetsResolver {
  readonly #datasets: DatasetsService;
  readonly #reader: DatasetReader;

  constructor(datasets: DatasetsService, reader: DatasetReader) {
    this.#datasets = datasets;
    this.#reader = reader;
  }

  @Requires('datasets.read')
  @Query(() => Dataset, { nullable: true, description: 'A dataset of the account. Null if there is none.' })
  async dataset(
    @Arg('id', () => ID, { description: 'The dataset.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Dataset | null> {
    const { accountId } = await context.caller();
    const [row] = await this.#reader.byIds(accountId, [fromId(id)]);
    return row === undefined ? null : toDataset(row);
  }

  @Requires('datasets.read')
  @Query(() => DatasetConnection, { description: 'The account’s datasets, newest first.' })
  async datasets(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext): Promise<DatasetConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const found = await this.#reader.list(
      accountId,
      limit,
      from === null ? null : fromTimeCursor(from, backwards),
      backwards,
    );
    return toConnection(found, request, (row) => ({
      cursor: toCursor([new Date(Number(row.created_ms)).toISOString(), row.id]),
      node: toDataset(row),
    }));
  }

  @Requires('datasets.read')
  @Query(() => DatasetStorage, { description: 'How much the datasets of the account use of their space.' })
  async datasetStorage(@Ctx() context: GraphqlContext): Promise<DatasetStorage> {
    const { accountId } = await context.caller();
    const { items, maxItems, bytes, maxBytes } = await this.#datasets.storageOf(accountId);
    return { itemCount: items, maxItems, usedBytes: bytes, maxBytes };
  }

  @Requires('datasets.read')
  @FieldResolver(() => DatasetItemConnection, {
    complexity: PAGE_COMPLEXITY,
    description:
      'The items, in the order in which they were added. A page has at most 1 MB of content, or one item; without fields of the content it has as many items as requested.',
  })
  async items(
    @Root() { id }: Dataset,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DatasetItemConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : positionOf(from, backwards);
    const { datasetContent: budget } = await context.loaders();
    const reading = { withContent: isContentSelected(info), budget };
    const found = await this.#reader.items(accountId, fromId(id), limit, after, backwards, reading);
    return toConnection(found, request, (item) => ({
      cursor: toCursor([String(item.row.position)]),
      node: toDatasetItem(item),
    }));
  }

  @Requires('datasets.write')
  @Mutation(() => Dataset, { description: 'Creates an empty dataset.' })
  async createDataset(
    @Arg('name', () => String, { description: nameDescription }) name: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Dataset> {
    const { accountId } = await context.caller();
    return toDataset(await this.#datasets.create(accountId, name));
  }

  @Requires('datasets.write')
  @Mutation(() => Dataset, { description: 'Renames a dataset.' })
  async renameDataset(
    @Arg('id', () => ID, { description: 'The dataset.' }) id: string,
    @Arg('name', () => String, { description: nameDescription }) name: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Dataset> {
    const { accountId } = await context.caller();
    return toDataset(await this.#datasets.rename(accountId, fromId(id), name));
  }

  @Requires('datasets.write')
  @Mutation(() => ID, { description: 'Deletes a dataset with its items, and returns its ID.' })
  async deleteDataset(
    @Arg('id', () => ID, { description: 'The dataset.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    const { accountId } = await context.caller();
    await this.#datasets.remove(accountId, fromId(id));
    return id;
  }

  @Requires('datasets.write')
  @Mutation(() => AddedToDataset, {
    description:
      'Copies the logged content of requests of text generation into a dataset, converted to a chat. Requires the permission to view logged content. Requests that cannot be copied are skipped.',
  })
  async addToDataset(
    @Arg('input', () => AddToDatasetInput, { description: 'The requests.' }) input: AddToDatasetInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AddedToDataset> {
    const { accountId } = await context.require('logged_content.read');
    const eventIds = input.usageLogIds.map((id) => fromGlobalId('UsageLog', id));
    const { dataset, added, skipped } = await this.#datasets.add(accountId, fromId(input.datasetId), eventIds);
    return {
      dataset: toDataset(dataset),
      added,
      skipped: skipped.map(({ eventId, reason }) => ({ usageLogId: toGlobalId('UsageLog', eventId), reason })),
    };
  }

  @Requires('datasets.write')
  @Mutation(() => Dataset, { description: 'Removes items of a dataset.' })
  async removeDatasetItems(
    @Arg('id', () => ID, { description: 'The dataset.' }) id: string,
    @Arg('itemIds', () => [ID], { description: `Its items. Maximum ${MAX_PAGE_SIZE}.` }) itemIds: string[],
    @Ctx() context: GraphqlContext,
  ): Promise<Dataset> {
    const { accountId } = await context.caller();
    if (itemIds.length > MAX_PAGE_SIZE)
      throw new SluiceError('bad_user_input', {
        param: 'itemIds',
        values: { reason: `itemIds: must be at most ${MAX_PAGE_SIZE}` },
      });
    const ids = itemIds.map((each) => fromGlobalId('DatasetItem', each));
    return toDataset(await this.#datasets.removeItems(accountId, fromId(id), ids));
  }
}

function fromId(id: string): string {
  return fromGlobalId('Dataset', id);
}

function positionOf(cursor: string, backwards: boolean): number {
  const [position = ''] = fromCursor(cursor, 1, backwards);
  if (/^\d{1,9}$/.test(position)) return Number(position);
  throw invalidCursor(backwards);
}
