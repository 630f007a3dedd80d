import type { AssistantMessage, ChatMessage } from '../../shared/chat-request.ts';
import { withoutNames } from '../messages.ts';

/**
 * A conversation in Groq's form: no names of participants, and of an assistant's message the members that Groq knows, its
 * reasoning as `reasoning`; others it refuses with 400, those that OpenAI's SDK carries back too.
 * Source: https://console.groq.com/docs/openai, https://console.groq.com/docs/reasoning
 */
export function groqMessages(messages: readonly ChatMessage[]): readonly unknown[] {
  if (!messages.some(({ role }) => role === 'assistant')) return withoutNames(messages);
  return withoutNames(messages.map((message) => (message.role === 'assistant' ? assistantMessage(message) : message)));
}

function assistantMessage(message: AssistantMessage): AssistantMessage {
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
