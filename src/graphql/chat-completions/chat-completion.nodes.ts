import type { ChatCompletionsService } from '../../services/chat-completions/chat-completions.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toChatCompletion } from './chat-completion.mapping.ts';

/** Stored chat completions by their IDs. */
export function chatCompletionNodes(completions: Pick<ChatCompletionsService, 'byIds'>): NodeLoaders {
  return {
    ChatCompletion: async (context, ids) => {
      const { accountId } = await context.require('responses.read');
      const rows = await completions.byIds(accountReach(accountId), ids);
      return rows.map((row) => withTypename('ChatCompletion', toChatCompletion(row)));
    },
  };
}
