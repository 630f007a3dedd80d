import { objectsOf, textIn } from '../../../protocols/canonical/json-members.ts';
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

/**
 * For providers whose thinking models answer 400 to a message with tool calls without `reasoning_content`. Clients of other
 * protocols have no such member: it is the readable reasoning that they return, unless a provider signed it, and else
 * empty. @returns the same array if no message lacks it
 * Source: api-docs.deepseek.com/guides/thinking_mode, platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model.
 */
export function withReasoningContent(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(lacksReasoningContent)) return messages;
  return messages.map((message) =>
    lacksReasoningContent(message) ? { ...message, reasoning_content: unsignedReasoning(message) } : message,
  );
}

function lacksReasoningContent(message: ChatMessage): message is AssistantMessage {
  return (
    message.role === 'assistant' &&
    (message.tool_calls ?? []).length > 0 &&
    typeof message.reasoning_content !== 'string'
  );
}

function unsignedReasoning({ reasoning, reasoning_details: details }: AssistantMessage): string {
  if (typeof reasoning === 'string') return reasoning;
  return objectsOf(details)
    .filter(({ type, signature }) => type === 'reasoning.text' && typeof signature !== 'string')
    .map((detail) => textIn(detail, 'text'))
    .join('\n\n');
}
