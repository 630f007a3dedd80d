import type { ChatMessage } from '../shared/chat-request.ts';

/** For a provider that does not know the role `developer`. @returns the same array where none has it */
export function systemForDeveloper(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ role }) => role === 'developer')) return messages;
  return messages.map((message) => (message.role === 'developer' ? { ...message, role: 'system' } : message));
}

/** For a provider that refuses the names of participants. @returns the same array where none is named */
export function withoutNames(messages: readonly ChatMessage[]): readonly unknown[] {
  if (!messages.some((message) => message.role !== 'function' && 'name' in message)) return messages;
  return messages.map((message) => {
    if (message.role === 'function' || !('name' in message)) return message;
    const { name: _name, ...rest } = message;
    return rest;
  });
}
