import { membersOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { ProtocolName } from '../../../protocols/canonical/protocol.ts';
import { withChatToolNames } from '../../../protocols/canonical/request/tool-names.ts';
import { decodeChatRequest } from '../../../protocols/chat-completions/decode-request.ts';
import { decodeGeminiRequest } from '../../../protocols/gemini/decode-request.ts';
import { camelCased } from '../../../protocols/gemini/decode-request/camel-case.ts';
import { decodeMessagesRequest } from '../../../protocols/messages/decode-request.ts';
import { readChatRequest } from './chat-request.ts';
import { readConversation } from './conversation.ts';

const ANY_MODEL = 'chat';

/**
 * The input tokens that the sandbox would report for a request, in the protocol's response to a count; null for a protocol without
 * counts.
 * @throws SluiceError of status 400
 */
export function countChatTokens(protocol: ProtocolName, body: Buffer): Buffer | null {
  const value: unknown = JSON.parse(body.toString());
  if (protocol === 'messages') return Buffer.from(JSON.stringify({ input_tokens: tokensOf(messagesChat(value)) }));
  if (protocol === 'gemini') return Buffer.from(JSON.stringify({ totalTokens: tokensOf(geminiChat(value)) }));
  return null;
}

/** A request to count names no maximum output. */
function messagesChat(value: unknown): JsonObject {
  return decodeMessagesRequest({ max_tokens: 1, ...membersOf(value) }).chat;
}

function geminiChat(value: unknown): JsonObject {
  const { contents, generateContentRequest } = membersOf(camelCased(value));
  const { model: _model, ...request } =
    generateContentRequest === undefined ? { contents } : membersOf(generateContentRequest);
  return { ...decodeGeminiRequest(request).chat, model: ANY_MODEL };
}

function tokensOf(converted: JsonObject): number {
  const chat = decodeChatRequest(withChatToolNames(converted).chat);
  return readConversation(readChatRequest(chat)).promptTokens;
}
