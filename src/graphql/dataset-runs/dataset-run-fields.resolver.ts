import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { DatasetReader, OpenedItem } from '../../services/datasets/dataset-reader.ts';
import type { RunReader } from '../../services/dataset-runs/run-reader.ts';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import { toDataset, toDatasetItem } from '../datasets/dataset.mapping.ts';
import { Dataset, DatasetItem } from '../datasets/dataset.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromCursor, invalidCursor, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { DatasetRunResultArgs } from './dataset-run.input.ts';
import { toDatasetRunModel, toDatasetRunResult } from './dataset-run.mapping.ts';
import { DatasetRunResult, DatasetRunResultConnection } from './dataset-run-result.types.ts';
import { DatasetRun, DatasetRunModel } from './dataset-run.types.ts';

/** A page decrypts up to 1 MB. */
const PAGE_COMPLEXITY = 10;

/** Fields of a run that are read when they are requested. */
@Resolver(() => DatasetRun)
export class DatasetRunFieldsResolver {
  readonly #reader: RunReader;
  readonly #datasets: DatasetReader;

  constructor(reader: RunReader, datasets: DatasetReader) {
    this.#reader = reader;
    this.#datasets = datasets;
  }

  @Requires('datasets.read')
  @FieldResolver(() => Dataset, { nullable: true, description: 'The dataset. Null after it was deleted.' })
  async dataset(@Root() { datasetId }: DatasetRun, @Ctx() context: GraphqlContext): Promise<Dataset | null> {
    if (datasetId === null) return null;
    const { accountId } = await context.caller();
    const [row] = await this.#datasets.byIds(accountId, [datasetId]);
    return row === undefined ? null : toDataset(row);
  }

  @Requires('datasets.read')
  @FieldResolver(() => User, {
    nullable: true,
    description: 'The member who created it. Null if no member did, or the creator is no longer a member.',
  })
  async createdBy(@Root() { memberId }: DatasetRun, @Ctx() context: GraphqlContext): Promise<User | null> {
    if (memberId === null) return null;
    const user = await (await context.loaders()).member(memberId);
    return user && toUser(user);
  }

  @Requires('datasets.read')
  @FieldResolver(() => [DatasetRunModel], { description: 'The models, in the order of the request.' })
  async models(@Root() run: DatasetRun): Promise<DatasetRunModel[]> {
    return (await this.#reader.models(uuidOf(run))).map((model) => toDatasetRunModel(run, model));
  }

  @Requires('datasets.read')
  @FieldResolver(() => DatasetRunResultConnection, {
    complexity: PAGE_COMPLEXITY,
    description:
      'The outputs of the models for each item, in the order of the items. A page has at most 1 MB of content, or one item. Empty after the dataset was deleted.',
  })
  async results(
    @Root() run: DatasetRun,
    @Args(() => DatasetRunResultArgs) args: DatasetRunResultArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRunResultConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(args);
    const { limit, from, backwards } = request;
    const after = from === null ? null : lineOf(from, backwards);
    const { datasetContent: budget } = await context.loaders();
    const id = uuidOf(run);
    const models = await this.#reader.modelNames(id);
    const found = await this.#reader.results(accountId, id, args, { limit, after, backwards }, budget);
    const ids = found.rows.map(({ item_id: itemId }) => itemId);
    let items: Promise<ReadonlyMap<string, OpenedItem>> | null = null;
    const itemsById = async (): Promise<ReadonlyMap<string, OpenedItem>> =>
      new Map((await this.#datasets.itemsByIds(accountId, ids, { budget })).map((item) => [item.row.id, item]));
    return toConnection(found, request, (row) => ({
      cursor: toCursor([String(row.line)]),
      node: toDatasetRunResult(run, models, row, async () => {
        const item = (await (items ??= itemsById())).get(row.item_id);
        return item === undefined ? null : toDatasetItem(item);
      }),
    }));
  }
}

@Resolver(() => DatasetRunResult)
export class DatasetRunItemResolver {
  @FieldResolver(() => DatasetItem, { nullable: true, description: 'The item. Null after it was removed.' })
  item(@Root() { loadItem }: DatasetRunResult): Promise<DatasetItem | null> {
    return loadItem();
  }
}

function uuidOf({ id }: DatasetRun): string {
  return fromGlobalId('DatasetRun', id);
}

function lineOf(cursor: string, backwards: boolean): number {
  const [line = ''] = fromCursor(cursor, 1, backwards);
  if (/^\d{1,9}$/.test(line)) return Number(line);
  throw invalidCursor(backwards);
}
