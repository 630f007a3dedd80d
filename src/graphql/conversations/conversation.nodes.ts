import type { ConversationList } from '../../services/conversations/conversation-list.ts';
import { accountReach } from '../../services/object-reach.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toConversation } from './conversation.mapping.ts';

/** Stored conversations by their IDs. */
export function conversationNodes(conversations: Pick<ConversationList, 'byIds'>): NodeLoaders {
  return {
    Conversation: async (context, ids) => {
      const { accountId } = await context.require('responses.read');
      const rows = await conversations.byIds(accountReach(accountId), ids);
      return rows.map((row) => withTypename('Conversation', toConversation(row)));
    },
  };
}
