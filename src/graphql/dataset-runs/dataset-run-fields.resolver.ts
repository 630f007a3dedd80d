import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import type { DatasetReader, OpenedItem } from '../../services/datasets/dataset-reader.ts';
import type { RunReader } from '../../services/dataset-runs/run-reader.ts';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import { isContentSelected } from '../datasets/content-selected.ts';
import { toDataset, toDatasetItem } from '../datasets/dataset.mapping.ts';
import { Dataset, DatasetItem } from '../datasets/dataset.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { infoOf, selectedFields } from '../operation/selected-fields.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromCursor, invalidCursor, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { DatasetRunResultArgs } from './dataset-run.input.ts';
import { toDatasetRunModel, toDatasetRunResult } from './dataset-run.mapping.ts';
import { DatasetRunResult, DatasetRunResultConnection } from './dataset-run-result.types.ts';
import { DatasetRun, DatasetRunModel } from './dataset-run.types.ts';

/** A page decrypts up to 1 MB, and a filter reads the outputs of all items. */
const PAGE_COMPLEXITY = 20;
/** Of each of ten models: a run in progress aggregates its outputs. */
const MODEL_COMPLEXITY = 2;
/** The fields of `DatasetRunOutput` and its judgement that are encrypted, or say whether they can be decrypted. */
const outputContent = ['text', 'toolCalls', 'errorMessage', 'isReadable', 'reason'] as const;

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
  @FieldResolver(() => [DatasetRunModel], {
    complexity: MODEL_COMPLEXITY,
    description: 'The models, in the order of the request. The figures of a run in progress may be a few seconds old.',
  })
  async models(@Root() run: DatasetRun, @Ctx() context: GraphqlContext): Promise<DatasetRunModel[]> {
    const models = await (await context.loaders()).datasetRunModels(uuidOf(run));
    return models.map((model) => toDatasetRunModel(run, model));
  }

  @Requires('datasets.read')
  @FieldResolver(() => DatasetRunResultConnection, {
    complexity: PAGE_COMPLEXITY,
    description:
      'The outputs of the models for each item, in the order of the items. A page has at most 1 MB of content, or one item; without fields of the content it has as many items as requested. Empty after the dataset was deleted.',
  })
  async results(
    @Root() run: DatasetRun,
    @Args(() => DatasetRunResultArgs) args: DatasetRunResultArgs,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DatasetRunResultConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(args);
    const { limit, from, backwards } = request;
    const after = from === null ? null : lineOf(from, backwards);
    const { datasetContent: budget } = await context.loaders();
    const id = uuidOf(run);
    const models = await this.#reader.modelNames(id);
    const withOutputs = selectedFields(info, outputContent).size > 0;
    const reading = { withOutputs, withItems: isContentSelected(infoOf(info, 'item')), budget };
    const found = await this.#reader.results(accountId, id, args, { limit, after, backwards }, reading);
    const ids = found.rows.map(({ item_id: itemId }) => itemId);
    const items = new Map<boolean, Promise<ReadonlyMap<string, OpenedItem>>>();
    const itemsById = (withContent: boolean): Promise<ReadonlyMap<string, OpenedItem>> => {
      const loading =
        items.get(withContent) ??
        this.#datasets
          .itemsByIds(accountId, ids, { withContent, budget })
          .then((rows) => new Map(rows.map((item) => [item.row.id, item])));
      items.set(withContent, loading);
      return loading;
    };
    return toConnection(found, request, (row) => ({
      cursor: toCursor([String(row.line)]),
      node: toDatasetRunResult(run, models, row, async (withContent) => {
        const item = (await itemsById(withContent)).get(row.item_id);
        return item === undefined ? null : toDatasetItem(item);
      }),
    }));
  }
}

@Resolver(() => DatasetRunResult)
export class DatasetRunItemResolver {
  @FieldResolver(() => DatasetItem, { nullable: true, description: 'The item. Null after it was removed.' })
  item(@Root() { loadItem }: DatasetRunResult, @Info() info: GraphQLResolveInfo): Promise<DatasetItem | null> {
    return loadItem(isContentSelected(info));
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
