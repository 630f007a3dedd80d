import type { AssistantMessage, ChatMessage } from '../../../protocols/canonical/generation-request.ts';

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

/**
 * For a provider that refuses members of an earlier answer which it does not know, those that OpenAI's SDK carries back too,
 * and that has reasoning as `reasoning`. @returns the same array where there is no earlier answer
 */
export function withPlainAnswers(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ role }) => role === 'assistant')) return messages;
  return messages.map((message) => (message.role === 'assistant' ? plainAnswer(message) : message));
}

function plainAnswer(message: AssistantMessage): AssistantMessage {
  const { content, tool_calls: calls, function_call: call } = message;
  const reasoning = [message.reasoning, message.reasoning_content].find((text) => typeof text === 'string');
  return {
    role: 'assistant',
    content,
    ...(calls && calls.length > 0 && { tool_calls: calls }),
    ...(call && { function_call: call }),
    ...(reasoning && { reasoning }),
  };
}
