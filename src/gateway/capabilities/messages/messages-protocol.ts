import { toSluiceError } from '../../../errors/index.ts';
import { isObject, listOf, membersOf } from '../../../protocols/canonical/json-members.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { decodeMessagesRequest } from '../../../protocols/messages/decode-request.ts';
import { messagesRequestSchema } from '../../../protocols/messages/decode-request/schema.ts';
import { MessagesDecoder } from '../../../protocols/messages/decode-stream.ts';
import { MessagesEncoder } from '../../../protocols/messages/encode-stream.ts';
import { messagesErrorEvent, renderMessagesError } from '../../../protocols/messages/errors.ts';
import {
  mayNameObjects,
  namedObjects,
  objectRules,
  obtainedObjects,
} from '../../../protocols/messages/provider-objects.ts';
import { MessagesObserver } from '../../../protocols/messages/observe-usage.ts';
import { withMembers } from '../../../providers/shared/http/request-body.ts';
import { markedBeginning } from '../chat/conversation-key.ts';
import { knownMembers } from '../known-members.ts';
import type { ClientProtocol, DecodedText } from '../text/client-protocol.ts';
import { decodeConverted } from '../text/decode-converted.ts';
import type { CountedProtocol } from '../text/provider-counts.ts';
import { chatOfTexts } from '../text/texts-of.ts';

export { messagesRequestSchema, renderMessagesError };

const others = { container: null, context_management: null, mcp_servers: null };
const members = knownMembers(messagesRequestSchema, others, objectRules);

/** What the response to a request needs to know of it. */
export interface MessagesSettings {
  /** Its stop sequences, as far as a chat has them. */
  readonly stops: readonly string[];
}

/** Anthropic's Messages: `POST /v1/messages`. */
export const messagesProtocol: ClientProtocol<MessagesSettings> = {
  name: 'messages',
  signsInPlace: true,
  members,
  modelName: readModelName,
  isStreaming: (value) => isObject(value) && value.stream === true,
  decode,
  withMaxOutput: (body, tokens) => withMembers(body, { max_tokens: String(tokens) }),
  encoder: ({ eventId, requestId, model, settings: { stops } }) =>
    new MessagesEncoder({ id: `msg_${eventId.replaceAll('-', '')}`, model, requestId }, stops),
  relayFailure: (error, requestId) => Buffer.from(messagesErrorEvent(error, requestId)),
  observer: () => new MessagesObserver(),
  providerObjects: { mayName: mayNameObjects, named: namedObjects },
  obtainedObjects: (response) => (isObject(response) ? obtainedObjects(response) : []),
  decoder: (writer) => new MessagesDecoder(writer),
};

/** Its `POST /v1/messages/count_tokens`. */
export const countedMessages: CountedProtocol = {
  name: messagesProtocol.name,
  members,
  modelName: readModelName,
  namedObjects,
  tokensOf: ({ input_tokens: tokens }) => tokens,
};

/** What a chat cannot express is left to providers of the protocol: they validate it, too. */
function decode(value: unknown): DecodedText<MessagesSettings> {
  const providerObjects = namedObjects(value);
  const { system, messages, tools, max_tokens: limit } = membersOf(value);
  const beginning = markedBeginning(system, messages);
  try {
    const { chat, ...lost } = decodeMessagesRequest(value);
    const settings = { stops: listOf(chat.stop).filter((stop) => typeof stop === 'string') };
    return { ...decodeConverted(chat), ...lost, refusal: null, providerObjects, beginning, settings };
  } catch (thrown) {
    const refusal = toSluiceError(thrown);
    if (refusal.code === 'internal_error') throw refusal;
    const chat = chatOfTexts(readModelName(value), [system, messages, tools], { limit, user: null });
    return { chat, dropped: [], refusal, providerObjects, beginning, settings: { stops: [] } };
  }
}
