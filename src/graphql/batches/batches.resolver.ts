import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { anyBatchIdOf, noBatch, publicBatchId } from '../../services/batches/batch-id.ts';
import type { BatchesService } from '../../services/batches/batches.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { toBatch } from './batch.mapping.ts';
import { Batch, BatchConnection } from './batch.types.ts';

const idDescription = 'The `id` or the `batchId`.';

@Resolver()
export class BatchesResolver {
  readonly #batches: BatchesService;

  constructor(batches: BatchesService) {
    this.#batches = batches;
  }

  @Requires('batches.read')
  @Query(() => Batch, { description: 'A batch of the account. Query it again for its progress.' })
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
}

/** @throws SluiceError not_found */
function uuidOf(id: string): string {
  return readGlobalId('Batch', id) ?? anyBatchIdOf(id);
}
