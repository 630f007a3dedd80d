import type { ChatMessage } from '../../../protocols/canonical/generation-request.ts';
import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { ProtocolName, StreamObserver } from '../../../protocols/canonical/protocol.ts';
import type { ChatReceiver, Connection } from '../../../providers/contract.ts';
import type {
  ResponseWithOutput,
  Capability,
  ParsedResponse,
  ProviderCall,
  StreamRelay,
  StreamRelayOptions,
  TokenUsage,
} from '../capability.ts';
import { chat } from '../chat/chat.ts';
import { refuseForeignObjects } from '../foreign-objects.ts';
import { valueOf, type ParsedInput, type RequestInput } from '../../request-input.ts';
import { conversationKey } from '../chat/conversation-key.ts';
import { readChatResult } from '../chat/chat-answer.ts';
import { isBoundedChat, maxUsageOfChats, repeatedBytes } from '../chat/max-usage.ts';
import type { KnownMembers } from '../known-members.ts';
import type { ClientProtocol } from './client-protocol.ts';
import { readNativeDocument } from './native-document.ts';
import { NativeReceiver } from './native-receiver.ts';
import { NativeStream } from './native-stream.ts';
import { relayOf } from './relay-of-stream.ts';
import { sendConverted } from './converted/send-converted.ts';
import { textModeration } from './text-moderation.ts';
import {
  convertedObjects,
  nativeOf,
  type DecodedContext,
  type ObtainedObjects,
  type RelayedDocument,
  type TextCall,
  type TextRequest,
} from './text-request.ts';

/**
 * A chat whose client speaks another protocol than Chat Completions; one object per request. Each attempt relays bytes where
 * its provider serves the client's protocol, and converts where it does not.
 */
export class TextCapability<Settings> implements Capability<TextRequest> {
  readonly name = chat.name;
  readonly moderation = textModeration;
  readonly protocol: ProtocolName;
  readonly members: KnownMembers;
  readonly outlined: boolean;
  readonly summarize = (): null => null;
  readonly streamed = ({ stream }: TextRequest): boolean => stream;
  readonly wantsUsage = this.streamed;
  /** Null before the request is parsed. */
  decoded: DecodedContext<Settings> | null = null;
  readonly #protocol: ClientProtocol<Settings>;
  readonly #call: TextCall;
  /** The last connection that a request was relayed to; null where it was converted. */
  #relayedTo: Connection | null = null;
  #wantsUsage = true;
  #observer: StreamObserver | null = null;
  #document: JsonObject | null = null;
  #parsed: ParsedInput | null;

  /** @param parsed the body, where it is parsed already */
  constructor(protocol: ClientProtocol<Settings>, call: TextCall, parsed: ParsedInput | null = null) {
    this.protocol = protocol.name;
    this.members = protocol.members;
    this.outlined = parsed === null;
    this.#protocol = protocol;
    this.#call = call;
    this.#parsed = parsed;
  }

  modelName(value: unknown): string {
    return this.#call.model ?? this.#protocol.modelName(value);
  }

  /** It is kept no longer: a response may take minutes. */
  takeValue(input: RequestInput): unknown {
    const parsed = this.#parsed;
    this.#parsed = null;
    return parsed?.input === input ? parsed.value : null;
  }

  parse(value: unknown): TextRequest {
    const { chat: decoded, settings, toolNames = null, ...rest } = this.#protocol.decode(value);
    const model = this.modelName(value);
    this.decoded = { settings, model, toolNames };
    this.#wantsUsage = this.#protocol.wantsUsage?.(value) ?? true;
    const stream = this.#call.stream ?? this.#protocol.isStreaming(value);
    const streaming = stream ? { stream: true, stream_options: { include_usage: true } } : {};
    return { ...rest, chat: { ...decoded, model, ...streaming }, stream };
  }

  outputReserve(request: TextRequest, ceiling: number | null): number {
    return chat.outputReserve(request.chat, ceiling);
  }

  maxUsage(request: TextRequest, ceiling: number | null): TokenUsage {
    return maxUsageOfChats(request.each ?? [request.chat], ceiling, request.hostedTools);
  }

  repeatedBytes({ each }: TextRequest): number {
    return each === undefined ? 0 : repeatedBytes(each);
  }

  isBounded(request: TextRequest): boolean {
    // Hosted tools, which have no equivalent in a chat, add input.
    return request.refusal === null && request.dropped.length === 0 && isBoundedChat(request.chat);
  }

  withMaxOutput(body: Buffer, tokens: number): Buffer {
    return this.#protocol.withMaxOutput?.(body, tokens) ?? body;
  }

  messages(request: TextRequest): readonly ChatMessage[] {
    return request.chat.messages;
  }

  sentProtocol(connection: Connection, request: TextRequest, model: string): ProtocolName {
    const native = nativeOf(connection, this.#protocol.name, request, { ...this.#call, model });
    return native === null ? 'chat-completions' : this.#protocol.name;
  }

  /** A cached response could be of another protocol than that of the next target. */
  cacheable(): null {
    return null;
  }

  conversation(request: TextRequest, inputTokens: number): string | null {
    return conversationKey(request.chat, inputTokens, request.beginning);
  }

  endUser(request: TextRequest): string | null {
    return chat.endUser(request.chat);
  }

  tags(request: TextRequest): Readonly<Record<string, string>> | null {
    return chat.tags?.(request.chat) ?? null;
  }

  send(connection: Connection, request: TextRequest, call: ProviderCall, receiver: ChatReceiver): readonly string[] {
    if (call.body === null) throw new Error('a text request is no form');
    const { headers, query, objects, turn = null } = this.#call;
    const native = nativeOf(connection, this.#protocol.name, request, { ...this.#call, model: call.model });
    this.#relayedTo = native === null ? null : connection;
    if (turn !== null) turn.holder = null;
    if (native !== null) {
      refuseForeignObjects(connection, request.providerObjects, objects);
      const { model, requestId, parameters } = call;
      const [body, { stream }] = [this.#relayedBody(call.body, connection), request];
      return native({ model, body, requestId, stream, headers, query, parameters, turn }, new NativeReceiver(receiver));
    }
    const complete = call.outline === null ? request : this.parse(valueOf(call.body));
    if (complete.refusal !== null) throw complete.refusal;
    refuseForeignObjects(connection, convertedObjects(complete));
    return sendConverted(connection, complete, call, receiver);
  }

  relayStream(options: StreamRelayOptions): StreamRelay | null {
    const relay = relayOf(this.#protocol, options, this.#wantsUsage);
    this.#observer = relay instanceof NativeStream ? relay.observer : null;
    return relay;
  }

  #relayedBody(body: Buffer, connection: Connection): Buffer {
    if (this.decoded === null) throw new Error('a request before it is parsed');
    return this.#protocol.relayedBody?.(body, this.decoded.settings, connection) ?? body;
  }

  /** @param body of a provider with the client's protocol */
  parseResponse(provider: string, body: Buffer): ParsedResponse {
    const decoder: ClientProtocol<Settings>['decoder'] = (writer) => this.#protocol.decoder(writer);
    const read = readNativeDocument(provider, body, this.#call.model ?? '', decoder);
    this.#document = read.document;
    return read.response;
  }

  /** The response so far, where it is relayed; else null. */
  get relayed(): RelayedDocument | null {
    const connection = this.#relayedTo;
    if (connection === null) return null;
    const response = this.#observer?.response ?? this.#document;
    return response === null ? null : { connection, response };
  }

  /** The objects that the response has named so far; null for none. */
  get obtained(): ObtainedObjects | null {
    if (this.#relayedTo?.storesResponses === false) return null;
    const { relayed } = this;
    const objectIds = (relayed && this.#protocol.obtainedObjects?.(relayed.response)) ?? [];
    return relayed === null || objectIds.length === 0 ? null : { connectionId: relayed.connection.id, objectIds };
  }

  readResult(result: GenerationResult): ResponseWithOutput {
    return { response: readChatResult(result), output: result };
  }
}
