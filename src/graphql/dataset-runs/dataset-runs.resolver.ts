import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { DatasetRunsService } from '../../services/dataset-runs/dataset-runs.service.ts';
import type { RunEstimates } from '../../services/dataset-runs/run-estimates.ts';
import type { RunReader } from '../../services/dataset-runs/run-reader.ts';
import type { CallerKeys } from '../completions/caller-keys.ts';
import { Dataset } from '../datasets/dataset.types.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { fromTimeCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { CreateDatasetRunInput } from './dataset-run.input.ts';
import { DatasetRunEstimate, DatasetRunEstimateArgs } from './dataset-run-estimate.types.ts';
import { toCostEstimate, toDatasetRun } from './dataset-run.mapping.ts';
import { DatasetRun, DatasetRunConnection } from './dataset-run.types.ts';

const idDescription = 'The run.';
/** It reads the usage of each item. */
const ESTIMATE_COMPLEXITY = 20;

interface DatasetRunServices {
  readonly service: DatasetRunsService;
  readonly reader: RunReader;
  readonly estimates: RunEstimates;
}

@Resolver(() => Dataset)
export class DatasetRunsResolver {
  readonly #runs: DatasetRunsService;
  readonly #reader: RunReader;
  readonly #estimates: RunEstimates;
  readonly #keys: CallerKeys;

  constructor({ service, reader, estimates }: DatasetRunServices, keys: CallerKeys) {
    this.#runs = service;
    this.#reader = reader;
    this.#estimates = estimates;
    this.#keys = keys;
  }

  @Requires('datasets.read')
  @Query(() => DatasetRun, { nullable: true, description: 'A dataset run of the account. Null if there is none.' })
  async datasetRun(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRun | null> {
    const { accountId } = await context.caller();
    const [row] = await this.#reader.byIds(accountId, [fromId(id)]);
    return row === undefined ? null : toDatasetRun(row);
  }

  @Requires('datasets.read')
  @Query(() => DatasetRunConnection, {
    description: 'The account’s dataset runs, newest first, those of deleted datasets included.',
  })
  async datasetRuns(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRunConnection> {
    const { accountId } = await context.caller();
    return this.#page(accountId, null, page);
  }

  @Requires('datasets.read')
  @Query(() => DatasetRunEstimate, {
    complexity: ESTIMATE_COMPLEXITY,
    description: 'What a run would cost. Requires the permission to run completions.',
  })
  async datasetRunEstimate(
    @Args(() => DatasetRunEstimateArgs) { datasetId, ...input }: DatasetRunEstimateArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRunEstimate> {
    const key = await this.#keys.of(context);
    const { models, judge } = await this.#estimates.of(key, fromGlobalId('Dataset', datasetId), input);
    return { models: models.map(toCostEstimate), judge: judge && toCostEstimate(judge) };
  }

  @Requires('datasets.read')
  @FieldResolver(() => DatasetRunConnection, { description: 'Its runs, newest first.' })
  async runs(
    @Root() { id }: Dataset,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRunConnection> {
    const { accountId } = await context.caller();
    return this.#page(accountId, fromGlobalId('Dataset', id), page);
  }

  @Requires('datasets.read')
  @Mutation(() => DatasetRun, {
    description:
      'Runs the items of a dataset against several models. Requires the permission to run completions. Requests have a low priority, and count toward the limits and budgets of the caller’s key. A failed request does not affect the others.',
  })
  async createDatasetRun(
    @Arg('input', () => CreateDatasetRunInput, { description: 'The dataset and the models.' })
    { datasetId, ...input }: CreateDatasetRunInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRun> {
    const key = await this.#keys.of(context);
    return toDatasetRun(await this.#runs.create(key, fromGlobalId('Dataset', datasetId), input));
  }

  @Requires('datasets.write')
  @Mutation(() => DatasetRun, {
    description: 'Starts no more requests of a run. Those that are running end. A run that has ended is not changed.',
  })
  async cancelDatasetRun(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<DatasetRun> {
    const { accountId } = await context.caller();
    return toDatasetRun(await this.#runs.cancel(accountId, fromId(id)));
  }

  @Requires('datasets.write')
  @Mutation(() => ID, {
    description: 'Deletes a run with its outputs, and returns its ID. Requests that are running end, and are billed.',
  })
  async deleteDatasetRun(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    const { accountId } = await context.caller();
    await this.#runs.remove(accountId, fromId(id));
    return id;
  }

  /** @param datasetId null for all runs of the account */
  async #page(accountId: string, datasetId: string | null, page: PageArgs): Promise<DatasetRunConnection> {
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : fromTimeCursor(from, backwards);
    const found = await this.#reader.list(accountId, datasetId, limit, after, backwards);
    return toConnection(found, request, (row) => ({
      cursor: toCursor([new Date(Number(row.created_ms)).toISOString(), row.id]),
      node: toDatasetRun(row),
    }));
  }
}

function fromId(id: string): string {
  return fromGlobalId('DatasetRun', id);
}
