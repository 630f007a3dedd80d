import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { publicConversationId } from '../../services/conversations/conversation-id.ts';
import type { ConversationList } from '../../services/conversations/conversation-list.ts';
import type { ConversationsService } from '../../services/conversations/conversations.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { fromCursor, PageArgs, pageRequest, toConnection, toCursor } from '../relay/page.ts';
import { toConversation, toConversationItem } from './conversation.mapping.ts';
import {
  Conversation,
  ConversationConnection,
  ConversationItemConnection,
  ConversationItemsArgs,
} from './conversation.types.ts';

const idDescription = 'The `id` or the `conversationId`.';

@Resolver()
export class ConversationsResolver {
  readonly #conversations: Pick<ConversationsService, 'items' | 'remove'>;
  readonly #list: ConversationList;

  constructor(conversations: Pick<ConversationsService, 'items' | 'remove'>, list: ConversationList) {
    this.#conversations = conversations;
    this.#list = list;
  }

  @Requires('responses.read')
  @Query(() => Conversation, { description: 'A stored conversation of the account.' })
  async conversation(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Conversation> {
    return toConversation(await this.#list.get(await reachOf(context), publicIdOf(id)));
  }

  @Requires('responses.read')
  @Query(() => ConversationConnection, { description: 'The account’s stored conversations, newest first.' })
  async conversations(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<ConversationConnection> {
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : publicIdOf(from);
    const found = await this.#list.list(await reachOf(context), { limit, order: backwards ? 'asc' : 'desc', after });
    return toConnection(found, request, (row) => ({
      cursor: toGlobalId('Conversation', row.id),
      node: toConversation(row),
    }));
  }

  @Requires('responses.read')
  @Query(() => ConversationItemConnection, { description: 'The items of a stored conversation, oldest first.' })
  async conversationItems(
    @Args(() => ConversationItemsArgs) { conversationId, ...page }: ConversationItemsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<ConversationItemConnection> {
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const [after = null] = from === null ? [] : fromCursor(from, 1, backwards);
    const { items, hasMore } = await this.#conversations.items(await reachOf(context), publicIdOf(conversationId), {
      limit,
      order: backwards ? 'desc' : 'asc',
      after,
    });
    return toConnection({ rows: items, hasMore }, request, (item) => ({
      cursor: toCursor([item.id]),
      node: toConversationItem(item),
    }));
  }

  @Requires('responses.write')
  @Mutation(() => Boolean, { description: 'Deletes a stored conversation with its items. Its responses stay.' })
  async deleteConversation(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.#conversations.remove(await reachOf(context), publicIdOf(id));
    return true;
  }
}

function publicIdOf(id: string): string {
  const own = readGlobalId('Conversation', id);
  return own === null ? id : publicConversationId(own);
}

async function reachOf(context: GraphqlContext): Promise<ObjectReach> {
  return accountReach((await context.caller()).accountId);
}
