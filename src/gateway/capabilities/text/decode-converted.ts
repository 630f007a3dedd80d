import type { JsonObject } from '../../../protocols/canonical/json-members.ts';
import { withChatToolNames, type ToolNames } from '../../../protocols/canonical/request/tool-names.ts';
import { MAX_TOOLS } from '../../../protocols/canonical/validation/common-members.ts';
import { decodeChatRequest } from '../../../protocols/chat-completions/decode-request.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';

/** A request as a chat, and the names of its tools that are replaced there. */
export interface ConvertedChat {
  readonly chat: ChatRequest;
  readonly toolNames: ToolNames | null;
}

/**
 * Validates a request that was converted to a chat. The protocols have no limit of 128 tools: more pass on, and a provider that
 * has one refuses them itself.
 * @throws SluiceError of status 400
 */
export function decodeConverted(converted: JsonObject): ConvertedChat {
  const { chat, toolNames } = withChatToolNames(converted);
  const { tools } = chat;
  if (!Array.isArray(tools) || tools.length <= MAX_TOOLS) return { chat: decodeChatRequest(chat), toolNames };
  const first = decodeChatRequest({ ...chat, tools: tools.slice(0, MAX_TOOLS) });
  const all = [...(first.tools ?? [])];
  for (let from = MAX_TOOLS; from < tools.length; from += MAX_TOOLS)
    all.push(...(decodeChatRequest({ ...chat, tools: tools.slice(from, from + MAX_TOOLS) }).tools ?? []));
  return { chat: { ...first, tools: all }, toolNames };
}
