import type { SluiceError } from '../../../errors/index.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import type {
  DecodedRequest,
  NamedObject,
  ProtocolName,
  ResponseEncoder,
  StreamObserver,
} from '../../../protocols/canonical/protocol.ts';
import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import type { MemberNames } from '../../../protocols/canonical/request/member-names.ts';
import type { ToolNames } from '../../../protocols/canonical/request/tool-names.ts';
import type { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import type { Connection } from '../../../providers/contract.ts';
import type { KnownMembers } from '../known-members.ts';

/** A client's request, whose chat has been validated. */
export interface DecodedText<Settings> extends DecodedRequest<Settings> {
  readonly chat: ChatRequest;
  /** As `TextRequest.each`. */
  readonly each?: readonly ChatRequest[] | undefined;
  /** The client's own names of its tools, where the chat has others; none if absent. */
  readonly toolNames?: ToolNames | null;
  /** As `TextRequest.memberNames`. */
  readonly memberNames?: MemberNames | undefined;
  /** The texts that identify the conversation, where marks of the protocol say which they are; those of the chat if absent. */
  readonly beginning?: readonly string[] | null;
}

/** What the ids and times of an encoded response derive from. */
export interface EncoderContext<Settings> {
  /** The request's own id, a UUID. */
  readonly eventId: string;
  /** The request ID that the client receives. */
  readonly requestId: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly settings: Settings;
  /** The requested model: until the provider names the one that serves. */
  readonly model: string;
}

/** A protocol of text generation that clients speak besides Chat Completions. */
export interface ClientProtocol<Settings> {
  readonly name: ProtocolName;
  /** Whether its encoder needs reasoning details where they occur; else they come together, before the end. */
  readonly signsInPlace: boolean;
  /** Known members of its bodies: one that is misspelled or duplicated is refused. */
  readonly members: KnownMembers;
  /**
   * The model, where the body names it.
   * @throws SluiceError of status 400
   */
  modelName(value: unknown): string;
  /** Whether the response is streamed, where the body says so. */
  isStreaming(value: unknown): boolean;
  /** @throws SluiceError of status 400, naming the invalid member */
  decode(value: unknown): DecodedText<Settings>;
  /** Adds an output limit to a body without one. */
  withMaxOutput?(body: Buffer, tokens: number): Buffer;
  encoder(context: EncoderContext<Settings>): ResponseEncoder;
  /** The last event of a relayed stream that fails. @param requestId the one that the client receives */
  relayFailure(error: SluiceError, requestId: string): Buffer;
  /**
   * Observes one stream of a provider with this protocol. Null where its events are chunks like those of a chat, from which the
   * usage is removed that the client did not request.
   */
  readonly observer: (() => StreamObserver) | null;
  /** Whether the client requested usage in its stream; streams of the protocol always have it if absent. */
  wantsUsage?(value: unknown): boolean;
  /** The body for a provider of this protocol; unchanged if absent. */
  relayedBody?(body: Buffer, settings: Settings, connection: Connection): Buffer;
  /** How its requests name objects at the provider that their clients obtained; absent where they obtain none. */
  readonly providerObjects?: {
    /** A fast test, before the body is parsed. False where it names none. @param has whether it has a string, with its quotes */
    mayName(has: (quoted: string) => boolean): boolean;
    /** As `DecodedRequest.providerObjects`. */
    named(value: unknown): readonly NamedObject[];
  };
  /** Ids of a response that its client may name in later requests; absent where there are none. */
  obtainedObjects?(response: object): readonly string[];
  /** Decodes a response of a provider with this protocol: for live subscribers, and for what an unstreamed one used. */
  decoder(writer: StreamPartWriter): ResponseDecoder;
}
