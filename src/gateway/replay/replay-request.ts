import { SluiceError } from '../../errors/index.ts';
import { isObject, listOf, membersOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { decodeChatRequest } from '../../protocols/chat-completions/decode-request.ts';
import {
  chatOf,
  conversionRefusal,
  decodeCompletionRequest,
  promptTexts,
} from '../../protocols/completions/decode-request.ts';
import { decodeGeminiRequest } from '../../protocols/gemini/decode-request.ts';
import { decodeMessagesRequest } from '../../protocols/messages/decode-request.ts';
import { decodeResponsesRequest } from '../../protocols/responses/decode-request.ts';
import { generationRequest } from '../../protocols/responses/decode-request/generation-request.ts';
import { decodeConverted } from '../capabilities/text/decode-converted.ts';
import { tryParse } from '../json-text.ts';
import { withoutReferences } from './logged-items.ts';
import { withoutLoggedMedia } from './logged-media.ts';

/** A logged request as a chat that can be sent again. */
export interface ReplayedRequest {
  /** Of a chat completion. */
  readonly messages: readonly JsonObject[];
  /** Its other members, tools included; without the model. */
  readonly parameters: JsonObject;
  /** Paths of what is not carried, by the names of the client's protocol. */
  readonly dropped: readonly string[];
}

export interface LoggedRequest {
  readonly protocol: ProtocolName;
  /** The logged body. */
  readonly body: unknown;
  /** As the client requested it: the path of some protocols names it. */
  readonly model: string;
}

/** A chat that the dashboard sends is one WebSocket message of at most 1 MB. */
export const MAX_REPLAY_BYTES = 900_000;

/** Members that say how a response is delivered, or who it is for. A replay has its own. */
const delivery: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options']);
/** Members that a replay must not repeat: it would be stored, attributed to the client's user, or have several choices. */
const omitted: ReadonlySet<string> = new Set([
  'store',
  'user',
  'safety_identifier',
  'n',
  'modalities',
  'audio',
  'prompt_cache_key',
]);
/** Reasoning that a provider signed: what was logged may be redacted. */
const reasoningMembers = ['reasoning_details', 'reasoning_content', 'reasoning'] as const;

/** Encrypted content is not opened: it was removed before. */
const reader = { parse: tryParse, seal: { seal: () => '', open: () => null } };

/**
 * Converts a logged request of any protocol to a chat, in time linear in its length.
 * @throws SluiceError of status 400 with the reason, where it has no equivalent
 */
export function replayRequest({ protocol, body, model }: LoggedRequest): ReplayedRequest {
  const bytes = Buffer.byteLength(JSON.stringify(body) ?? '');
  if (bytes > MAX_REPLAY_BYTES)
    throw unsupported('body', `has ${bytes} bytes. Requests of up to ${MAX_REPLAY_BYTES} bytes can be opened.`);
  const form = formOf(protocol, body);
  const { value, replaced } = withoutLoggedMedia(body, form);
  const { chat, dropped } = decoders[form](value, model);
  const lost: string[] = [...replaced, ...dropped];
  const messages = listOf(chat.messages).flatMap((message, at) =>
    isObject(message) ? [withoutReasoning(message, `messages[${at}]`, lost)] : [],
  );
  const given = Object.entries(chat).filter(([name, member]) => !delivery.has(name) && (member ?? null) !== null);
  lost.push(...given.flatMap(([name, member]) => (omitted.has(name) && !isDefault(name, member) ? [name] : [])));
  return {
    messages,
    parameters: Object.fromEntries(given.filter(([name]) => !omitted.has(name))),
    dropped: [...new Set(lost)],
  };
}

/** A request of the Responses API that was converted for its provider is logged as a chat. */
function formOf(protocol: ProtocolName, body: unknown): ProtocolName {
  return protocol === 'responses' && isObject(body) && Array.isArray(body.messages) ? 'chat-completions' : protocol;
}

interface DecodedChat {
  readonly chat: JsonObject;
  readonly dropped: readonly string[];
}

type Decode = (body: unknown, model: string) => DecodedChat;

const decoders: Readonly<Record<ProtocolName, Decode>> = {
  // One that was converted may have more tools than a chat's client may send.
  'chat-completions': (body) => ({ chat: decodeConverted(membersOf(body)).chat, dropped: [] }),
  completions(body) {
    const request = decodeCompletionRequest(body);
    const refusal = conversionRefusal(request);
    if (refusal !== null) throw refusal;
    const [prompt = '', ...more] = promptTexts(request) ?? [];
    if (more.length > 0) throw unsupported('prompt', `has ${more.length + 1} texts, which are as many conversations.`);
    return { chat: decodeChatRequest(chatOf(request, prompt)), dropped: [] };
  },
  responses(body) {
    const readable = withoutReferences(body);
    const { body: chat, dropped } = generationRequest(decodeResponsesRequest(readable.body), reader);
    return { chat: decodeConverted(chat).chat, dropped: [...readable.dropped, ...dropped] };
  },
  messages(body) {
    const { chat, dropped } = decodeMessagesRequest(body);
    return { chat: decodeConverted(chat).chat, dropped };
  },
  gemini(body, model) {
    const { chat, dropped, refusal } = decodeGeminiRequest(body);
    if (refusal !== null) throw refusal;
    return { chat: decodeConverted({ ...chat, model }).chat, dropped };
  },
};

function withoutReasoning(message: JsonObject, path: string, lost: string[]): JsonObject {
  const found = reasoningMembers.filter((name) => (message[name] ?? null) !== null);
  if (found.length === 0) return message;
  lost.push(...found.map((name) => `${path}.${name}`));
  return Object.fromEntries(
    Object.entries(message).filter(([name]) => reasoningMembers.every((member) => member !== name)),
  );
}

/** Whether a member that is omitted asks for what a replay does in any case. */
function isDefault(name: string, member: unknown): boolean {
  if (name === 'n') return member === 1;
  if (name === 'modalities') return Array.isArray(member) && member.length === 1 && member[0] === 'text';
  return name === 'store' && member === false;
}

function unsupported(param: string, reason: string): SluiceError {
  return new SluiceError('unsupported_value', { param, values: { reason } });
}
