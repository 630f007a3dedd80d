import type { AssistantMessage, ChatMessage } from '../../../protocols/canonical/generation-request.ts';

/** For providers without the role `developer`. @returns the same array if no message has it */
export function systemForDeveloper(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ role }) => role === 'developer')) return messages;
  return messages.map((message) => (message.role === 'developer' ? { ...message, role: 'system' } : message));
}

/** For providers that reject the names of participants. @returns the same array if no message has one */
export function withoutNames(messages: readonly ChatMessage[]): readonly unknown[] {
  if (!messages.some((message) => message.role !== 'function' && 'name' in message)) return messages;
  return messages.map((message) => {
    if (message.role === 'function' || !('name' in message)) return message;
    const { name: _name, ...rest } = message;
    return rest;
  });
}

/**
 * For providers that reject unknown members of assistant messages, including those that OpenAI's SDK sends back, and that
 * name reasoning `reasoning`. @returns the same array if there is no assistant message
 */
export function withKnownAssistantMembers(messages: readonly ChatMessage[]): readonly ChatMessage[] {
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
