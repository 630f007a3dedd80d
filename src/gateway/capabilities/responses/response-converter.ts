import { clientPaths } from '../../../protocols/canonical/request/member-names.ts';
import type { ConvertedRequest } from '../../../protocols/responses/decode-request/generation-request.ts';
import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { SluiceError } from '../../../errors/index.ts';
import { partsOf, type GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import { ChatCompletionsDecoder } from '../../../protocols/chat-completions/decode-stream.ts';
import type { ResponseEvent, ResponsesStreamEncoder } from '../../../protocols/responses/encode-stream.ts';
import { responseError, type ResponseObject } from '../../../protocols/responses/response-object.ts';
import type {
  ResponseHead,
  ClientResponse,
  PublicAddress,
  ResponseReplacement,
  ResponseTarget,
} from '../../client-response.ts';
import type { LimitBound } from '../../limits/limit-store.ts';
import { tryParse } from '../../json-text.ts';

/** Receives a response: sends it to a client, complete or as events, or stores it. */
export interface ResponseSink
  extends PublicAddress, Pick<ClientResponse, 'setBounds' | 'setOutputCap' | 'markUsed' | 'intercept'> {
  /** Called once, before all other methods. */
  head(head: ResponseHead): void;
  /** @returns false where the sink is full for now */
  send(events: readonly ResponseEvent[]): boolean;
  /** The end of the response. @param events the last ones, not sent before; @param costNano null if not known */
  end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void;
  /** Whether the request is run again after an error, which is not a part of the response then. No other call follows. */
  runsAgain?(error: SluiceError): boolean;
  /** The response failed before its first event. No other call follows. */
  refuse(error: SluiceError, routed: ResponseTarget | null): void;
  abort(): void;
}

/** Encodes a chat's output as a response. */
export class ResponseConverter implements ClientResponse {
  readonly #sink: ResponseSink;
  readonly #encoder: ResponsesStreamEncoder;
  readonly #lost: Pick<ConvertedRequest, 'dropped' | 'names'>;
  readonly #isStream: boolean;

  /** @param lost members without an equivalent in a chat, and the client's names of others */
  constructor(
    sink: ResponseSink,
    encoder: ResponsesStreamEncoder,
    isStream: boolean,
    lost: Pick<ConvertedRequest, 'dropped' | 'names'>,
  ) {
    this.#sink = sink;
    this.#encoder = encoder;
    this.#isStream = isStream;
    this.#lost = lost;
  }

  get origin(): string | undefined {
    return this.#sink.origin;
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.#sink.setBounds?.(bounds);
  }

  setOutputCap(tokens: number): void {
    this.#sink.setOutputCap?.(tokens);
  }

  intercept(replacement: ResponseReplacement): boolean {
    return this.#sink.intercept?.(replacement) === true;
  }

  markUsed(): void {
    this.#sink.markUsed?.();
  }

  head(head: ResponseHead): void {
    const { dropped, names } = this.#lost;
    this.#sink.head({ ...head, dropped: [...dropped, ...clientPaths(head.dropped, names)] });
  }

  write(): never {
    throw new Error('the stream of a response has no bytes');
  }

  writeParts(parts: readonly StreamPart[]): boolean {
    this.#encoder.encode(parts);
    return this.#sink.send(this.#encoder.take());
  }

  /** @param document of a provider of chats that is not streamed */
  end(document: Buffer | null, costNano: bigint | null): void {
    if (!this.#isStream) {
      const decoder = new ChatCompletionsDecoder();
      decoder.document(tryParse(String(document)));
      return this.#endDocument(decoder.take(), costNano);
    }
    const response = this.#encoder.end();
    this.#sink.end(response, this.#encoder.take(), costNano);
  }

  endResult(result: GenerationResult, costNano: bigint | null): void {
    this.#endDocument(partsOf(result), costNano);
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    if (this.#sink.runsAgain?.(error) === true) return;
    if (!this.#encoder.hasBegun) return this.#sink.refuse(error, routed);
    const response = this.#encoder.fail(responseError(error));
    this.#sink.end(response, this.#encoder.take(), null);
  }

  abort(): void {
    this.#sink.abort();
  }

  #endDocument(parts: readonly StreamPart[], costNano: bigint | null): void {
    const priced = costNano === null ? parts : parts.map((part) => withCost(part, costNano));
    this.#sink.end(this.#encoder.document(priced), [], costNano);
  }
}

/** A stream has the cost in its usage already. */
function withCost(part: StreamPart, costNano: bigint): StreamPart {
  return part.type === 'usage' ? { ...part, cost: Number(formatUsd(costNano)) } : part;
}
