import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId, readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { pageRequest, toConnection } from '../relay/page.ts';
import { toChatCompletion } from './chat-completion.mapping.ts';
import { ChatCompletion, ChatCompletionArgs, ChatCompletionConnection } from './chat-completion.types.ts';

const TYPE = 'ChatCompletion';
const idDescription = 'The `id` or the `completionId`.';

@Resolver()
export class ChatCompletionsResolver {
  readonly #completions: ChatCompletionsService;

  constructor(completions: ChatCompletionsService) {
    this.#completions = completions;
  }

  @Requires('responses.read')
  @Query(() => ChatCompletion, { description: 'A stored chat completion of the account.' })
  async chatCompletion(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ChatCompletion> {
    const reach = await reachOf(context);
    return toChatCompletion(await this.#completions.get(reach, await this.#completionIdOf(reach, id)));
  }

  @Requires('responses.read')
  @Query(() => ChatCompletionConnection, { description: 'The account’s stored chat completions, newest first.' })
  async chatCompletions(
    @Args(() => ChatCompletionArgs) { filter, ...page }: ChatCompletionArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<ChatCompletionConnection> {
    const reach = await reachOf(context);
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : await this.#completionIdOf(reach, from);
    const metadata = Object.fromEntries((filter?.metadata ?? []).map(({ name, value }) => [name, value]));
    const found = await this.#completions.list(
      reach,
      { limit, order: backwards ? 'asc' : 'desc', after },
      { model: filter?.model ?? null, metadata },
    );
    return toConnection(found, request, (row) => ({ cursor: toGlobalId(TYPE, row.id), node: toChatCompletion(row) }));
  }

  @Requires('responses.write')
  @Mutation(() => Boolean, { description: 'Deletes a stored chat completion.' })
  async deleteChatCompletion(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const reach = await reachOf(context);
    await this.#completions.remove(reach, await this.#completionIdOf(reach, id));
    return true;
  }

  /** @throws SluiceError not_found for the global ID of a completion that is not the account's */
  async #completionIdOf(reach: ObjectReach, id: string): Promise<string> {
    if (readGlobalId(TYPE, id) === null) return id;
    const [row] = await this.#completions.byIds(reach, [fromGlobalId(TYPE, id)]);
    // No completion has an empty id.
    return row?.completionId ?? '';
  }
}

async function reachOf(context: GraphqlContext): Promise<ObjectReach> {
  return accountReach((await context.caller()).accountId);
}
