import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Int, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import { publicResponseId } from '../../services/responses/response-id.ts';
import { accountReach } from '../../services/object-reach.ts';
import type { ResponsesService } from '../../services/responses/responses.service.ts';
import { Requires, RequiresAtStart } from '../operation/access.ts';
import { selectedFields } from '../operation/selected-fields.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { subscription, type SubscribeInput } from '../operation/subscription.ts';
import { responseFields, toModelResponse, toResponseEvent } from './response.mapping.ts';
import { ModelResponse, ModelResponseConnection, ResponseEvent } from './response.types.ts';

const idDescription = 'The `id` or the `responseId`.';

@Resolver()
export class ResponsesResolver {
  readonly #responses: ResponsesService;
  readonly #runs: Pick<BackgroundRuns, 'cancel'>;

  constructor(responses: ResponsesService, runs: Pick<BackgroundRuns, 'cancel'>) {
    this.#responses = responses;
    this.#runs = runs;
  }

  @Requires('responses.read')
  @Query(() => ModelResponse, { description: 'A stored response of the account.' })
  async response(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ModelResponse> {
    const { accountId } = await context.caller();
    return toModelResponse(await this.#responses.get(accountReach(accountId), publicIdOf(id)));
  }

  @Requires('responses.read')
  @Query(() => ModelResponseConnection, { description: 'The account’s stored responses, newest first.' })
  async responses(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ModelResponseConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : publicIdOf(from);
    const order = backwards ? 'asc' : 'desc';
    const withOutput = selectedFields(info, responseFields).size > 0;
    const found = await this.#responses.list(accountReach(accountId), { limit, order, after }, withOutput);
    return toConnection(found, request, (row) => ({
      cursor: toGlobalId('ModelResponse', row.id),
      node: toModelResponse(row),
    }));
  }

  @Requires('responses.write')
  @Mutation(() => ModelResponse, {
    description: 'Cancels a running background response. Output received so far is billed.',
  })
  async cancelResponse(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ModelResponse> {
    const { accountId } = await context.caller();
    const asked = await this.#responses.requestCancel(accountReach(accountId), publicIdOf(id));
    this.#runs.cancel(asked.id);
    return toModelResponse(await this.#responses.ended(accountReach(accountId), publicResponseId(asked.id)));
  }

  @Requires('responses.write')
  @Mutation(() => Boolean, {
    description: 'Deletes a stored response, and its copies at providers. If it is running, it is cancelled.',
  })
  async deleteResponse(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    this.#runs.cancel((await this.#responses.remove(accountReach(accountId), publicIdOf(id))).id);
    return true;
  }

  @RequiresAtStart('responses.read')
  @Subscription(() => ResponseEvent, {
    description:
      'Events of a background response, from the start or after `after`, until the response ends. All events are stored, so that a slow subscriber does not miss any.',
    subscribe: subscription(() => ResponsesResolver),
  })
  responseEvents(
    @Root() json: string,
    @Arg('id', () => ID, { description: idDescription }) _id: string,
    @Arg('after', () => Int, { nullable: true, description: 'Resumes after this `sequenceNumber`.' })
    _after: number | null,
  ): ResponseEvent {
    return toResponseEvent(json);
  }

  async subscribe({
    args,
    context,
    signal,
  }: SubscribeInput<{ readonly id: string; readonly after?: number | null }>): Promise<AsyncIterableIterator<string>> {
    const { accountId } = await context.require('responses.read');
    const publicId = publicIdOf(args.id);
    // A missing object is an error of the operation, not an empty stream; so is one without events.
    const { background } = await this.#responses.get(accountReach(accountId), publicId);
    if (!background) throw new SluiceError('response_without_events');
    return this.#responses.watch(accountReach(accountId), publicId, args.after ?? -1, signal);
  }
}

function publicIdOf(id: string): string {
  const own = readGlobalId('ModelResponse', id);
  return own === null ? id : publicResponseId(own);
}
