import { publicConversationId } from '../../services/conversations/conversation-id.ts';
import type { ListedConversation } from '../../services/conversations/conversation-list.ts';
import type { StoredItem } from '../../services/conversations/conversations.service.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { Conversation, ConversationItem } from './conversation.types.ts';

export function toConversation({ id, metadata, items, createdAt }: ListedConversation): Conversation {
  return {
    id: toGlobalId('Conversation', id),
    conversationId: publicConversationId(id),
    metadata,
    itemCount: items,
    createdAt,
  };
}

export function toConversationItem(item: StoredItem): ConversationItem {
  const { type, role, content } = item;
  return {
    itemId: item.id,
    type: typeof type === 'string' ? type : 'message',
    role: typeof role === 'string' ? role : null,
    text: textOf(content),
    body: item,
  };
}

/** Parts without text, such as images, are left out. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts.map(partText).join('');
}

function partText(part: unknown): string {
  const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : null;
  return typeof text === 'string' ? text : '';
}
