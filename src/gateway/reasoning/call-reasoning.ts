import type { AssistantMessage, ChatMessage, ToolCall } from '../../protocols/canonical/generation-request.ts';

/** Maximum calls per request whose reasoning is looked up. */
const MAX_CALLS = 256;

/** Their ids: the last ones where there are many. */
export function callsWithoutReasoning(messages: readonly ChatMessage[]): readonly string[] {
  const ids = messages.flatMap((message) =>
    lacksReasoning(message) ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );
  return ids.slice(-MAX_CALLS);
}

export function lacksReasoning(message: ChatMessage): message is AssistantMessage {
  return message.role === 'assistant' && Boolean(message.tool_calls?.length) && !message.reasoning_details;
}

export function nameOf(call: ToolCall): string {
  return call.type === 'custom' ? call.custom.name : call.function.name;
}
