import { withMembers } from '../../../providers/shared/http/request-body.ts';
import type { Capability, ProviderCall } from '../capability.ts';
import { parseChatResponse, readChatResult } from './chat-answer.ts';
import { encodeResponse } from '../../../protocols/chat-completions/encode-response.ts';
import { STREAM_PARTS, type ChatReceiver, type Connection } from '../../../providers/contract.ts';
import { ChatStream } from './stream/chat-stream.ts';
import { PartsRelay } from './stream/parts-relay.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { chatModeration } from './chat-moderation.ts';
import { conversationKey } from './conversation-key.ts';
import { OutlinedChat } from './outlined-chat.ts';
import { chatMembers } from './members.ts';
import { isBoundedChat, maxChatUsage } from './max-usage.ts';
import { namedObjects } from './named-objects.ts';
import { refuseForeignObjects, type ObjectHolders } from '../foreign-objects.ts';
import { decodeChatRequest } from '../../../protocols/chat-completions/decode-request.ts';
import { chatRecording } from './storage/stored-chat.ts';
import { withoutStorage } from './storage/without-storage.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';

/** Reserved for a response without a client's maximum. */
const DEFAULT_ANSWER_TOKENS = 1_024;

/** Chat completions: OpenAI's `POST /v1/chat/completions`. */
export const chat: Capability<ChatRequest> = {
  name: 'chat',
  protocol: 'chat-completions',
  members: chatMembers,
  outlined: true,
  modelName: readModelName,
  parse: decodeChatRequest,
  summarize: () => null,
  streamed: (request) => request.stream === true,
  wantsUsage: (request) => request.stream_options?.include_usage === true,
  outputReserve(request, ceiling) {
    const each =
      request.max_completion_tokens ??
      request.max_tokens ??
      Math.min(ceiling ?? DEFAULT_ANSWER_TOKENS, DEFAULT_ANSWER_TOKENS);
    return each * (request.n ?? 1);
  },
  maxUsage: maxChatUsage,
  isBounded: isBoundedChat,
  withMaxOutput: (body, tokens) => withMembers(body, { max_completion_tokens: String(tokens) }),
  messages: ({ messages }) => messages,
  sentProtocol: () => 'chat-completions',
  cacheable: (request) => request,
  conversation: conversationKey,
  endUser: (request) => request.safety_identifier ?? request.user ?? null,
  tags: (request) => request.metadata ?? null,
  recording: chatRecording,
  send: (connection, asked, call, receiver) => sendChat(connection, asked, call, receiver),
  relayStream(options) {
    if (options.contentType === STREAM_PARTS) return new PartsRelay(options);
    return options.contentType.startsWith('text/event-stream') ? new ChatStream(options) : null;
  },
  parseResponse: parseChatResponse,
  readResult: (result) => ({ response: readChatResult(result), output: encodeResponse(result) }),
  moderation: chatModeration,
};

/** Sends a chat. @param own objects at providers that the client may name on shared connections; none if absent */
export function sendChat(
  connection: Connection,
  asked: ChatRequest,
  call: ProviderCall,
  receiver: ChatReceiver,
  own?: ObjectHolders,
): readonly string[] {
  const { model, body: received, requestId, parameters, outline, reasoning } = call;
  if (received === null) throw new Error('a chat is no form');
  refuseForeignObjects(connection, namedObjects(asked), own);
  const [stream, wantsUsage] = [asked.stream === true, asked.stream_options?.include_usage === true];
  const { request, body, dropped } = withoutStorage(asked, received, call);
  const context = { model, body, requestId, parameters, stream, wantsUsage };
  if (outline !== null)
    return allOf(dropped, connection.chat(new OutlinedChat({ ...context, request }, reasoning), receiver));
  const recalled = reasoning?.recall(request) ?? request;
  const storeReasoning = reasoning?.storeAfter(() => recalled);
  return allOf(dropped, connection.chat({ ...context, request: recalled, storeReasoning }, receiver));
}

function allOf(dropped: readonly string[], more: readonly string[]): readonly string[] {
  return dropped.length === 0 ? more : [...dropped, ...more];
}
