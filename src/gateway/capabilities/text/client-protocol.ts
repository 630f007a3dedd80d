import type {
  DecodedRequest,
  ProtocolName,
  ResponseEncoder,
  StreamObserver,
} from '../../../protocols/canonical/protocol.ts';
import type { ResponseDecoder } from '../../../protocols/canonical/response-decoder.ts';
import type { StreamPartWriter } from '../../../protocols/canonical/stream-part-writer.ts';
import type { KnownMembers } from '../known-members.ts';

/** What the ids and times of an encoded response derive from. */
export interface EncoderContext<Settings> {
  /** The request's own id, a UUID. */
  readonly eventId: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly settings: Settings;
  /** The requested model: until the provider names the one that serves. */
  readonly model: string;
}

/** A protocol of text generation that clients speak besides Chat Completions. */
export interface ClientProtocol<Settings> {
  readonly name: ProtocolName;
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
  decode(value: unknown): DecodedRequest<Settings>;
  /** Adds an output limit to a body without one. */
  withMaxOutput?(body: Buffer, tokens: number): Buffer;
  encoder(context: EncoderContext<Settings>): ResponseEncoder;
  /** Observes one stream of a provider with this protocol. */
  observer(): StreamObserver;
  /** Decodes a response of a provider with this protocol: for live subscribers, and for what an unstreamed one used. */
  decoder(writer: StreamPartWriter): ResponseDecoder;
}
