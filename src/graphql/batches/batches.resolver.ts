import { Arg, Args, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Batch as BatchRow } from '../../database/entities/index.ts';
import { anyBatchIdOf, noBatch, publicBatchId } from '../../services/batches/batch-id.ts';
import type { BatchWatcher } from '../../services/batches/batch-watcher.ts';
import type { BatchesService } from '../../services/batches/batches.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { toBatch } from './batch.mapping.ts';
import { Batch, BatchConnection } from './batch.types.ts';

const idDescription = 'The `id` or the `batchId`.';

@Resolver()
export class BatchesResolver {
  readonly #batches: BatchesService;
  readonly #watcher: BatchWatcher;

  constructor(batches: BatchesService, watcher: BatchWatcher) {
    this.#batches = batches;
    this.#watcher = watcher;
  }

  @Requires('batches.read')
  @Query(() => Batch, { description: 'A batch of the account. `batchProgress` follows it.' })
  async batch(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Batch> {
    const { accountId } = await context.caller();
    const [row] = await this.#batches.byIds(accountReach(accountId), [uuidOf(id)]);
    return toBatch(row ?? noBatch());
  }

  @Requires('batches.read')
  @Query(() => BatchConnection, { description: 'The account’s batches, newest first.' })
  async batches(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext): Promise<BatchConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : uuidOf(from);
    const found = await this.#batches.listAll(accountReach(accountId), { limit, from: after, backwards });
    return toConnection(found, request, (row) => ({ cursor: toGlobalId('Batch', row.id), node: toBatch(row) }));
  }

  @Requires('batches.write')
  @Mutation(() => Batch, {
    description:
      'Starts no more requests of a batch. Those that are running end. A batch that has ended is not changed.',
  })
  async cancelBatch(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Batch> {
    const reach = accountReach((await context.caller()).accountId);
    const [row] = await this.#batches.byIds(reach, [uuidOf(id)]);
    const { protocol, id: uuid } = row ?? noBatch();
    return toBatch(await this.#batches.cancel(reach, protocol, publicBatchId(protocol, uuid)));
  }

  @RequiresAtStart('batches.read')
  @Subscription(() => Batch, {
    description:
      'With `id`, the current state of a batch, then its changes until it has ended. Without it, the batches of the account that are running or have ended within the last minute, then the changes of all. Changes within 500 ms are combined.',
    subscribe: subscription(() => BatchesResolver),
  })
  batchProgress(
    @Root() row: BatchRow,
    @Arg('id', () => ID, { nullable: true, description: `${idDescription} Default: all batches.` }) _id: string | null,
  ): Batch {
    return toBatch(row);
  }

  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<{ readonly id?: string | null }>): Promise<AsyncIterableIterator<BatchRow>> {
    const { accountId } = await context.require('batches.read');
    const reach = accountReach(accountId);
    if (args.id == null) return this.#watcher.watchAll(reach, signal);
    const id = uuidOf(args.id);
    // A missing object is an error of the operation, not an empty stream.
    if ((await this.#batches.byIds(reach, [id])).length === 0) noBatch();
    return this.#watcher.watch(reach, id, signal);
  }
}

/** @throws SluiceError not_found */
function uuidOf(id: string): string {
  return readGlobalId('Batch', id) ?? anyBatchIdOf(id);
}
