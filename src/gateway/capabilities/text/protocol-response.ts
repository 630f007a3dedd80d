import { unixSeconds } from '../../../calendar/clock.ts';
import type { SluiceError } from '../../../errors/index.ts';
import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { ResponseEncoder } from '../../../protocols/canonical/protocol.ts';
import { FullToolNames } from '../../../protocols/canonical/request/full-tool-names.ts';
import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import type { Call } from '../../call.ts';
import type { ClientResponse, ResponseHead, ResponseTarget } from '../../client-response.ts';
import { ForwardingResponse } from '../../forwarding-response.ts';
import type { ClientProtocol } from './client-protocol.ts';
import type { TextCapability } from './text-capability.ts';

/** What one response needs of its protocol. */
export interface ProtocolResponseOptions {
  /** Called once the request is parsed, where the response is converted. */
  readonly createEncoder: () => ResponseEncoder;
  /** The last event of a relayed stream that fails; null where the response is notified of the failure instead. */
  readonly relayFailure: ((error: SluiceError) => Buffer) | null;
  /** Called with the first output of a relayed response, and at its end. */
  readonly onRelayed?: () => void;
}

/** The response to a request of a client protocol. @param isNotified whether it is notified of a failure of a relayed stream */
export function responseOf<Settings>(
  protocol: ClientProtocol<Settings>,
  capability: TextCapability<Settings>,
  { eventId, requestId, response }: Pick<Call, 'eventId' | 'requestId' | 'response'>,
  onRelayed?: () => void,
  isNotified = false,
): ProtocolResponse {
  return new ProtocolResponse(response, {
    createEncoder() {
      const { decoded } = capability;
      if (decoded === null) throw new Error('a response before its request is parsed');
      const { toolNames, ...context } = decoded;
      const encoder = protocol.encoder({ ...context, eventId, requestId, created: unixSeconds() });
      return toolNames === null ? encoder : new FullToolNames(encoder, toolNames);
    },
    relayFailure: isNotified ? null : (error) => protocol.relayFailure(error, requestId),
    ...(onRelayed && { onRelayed }),
  });
}

/** A response in the client's own protocol: encodes what was converted, and passes on what is relayed. */
export class ProtocolResponse extends ForwardingResponse {
  readonly #options: ProtocolResponseOptions;
  #encoder: ResponseEncoder | null = null;
  #hasBegun = false;

  constructor(response: ClientResponse, options: ProtocolResponseOptions) {
    super(response);
    this.#options = options;
  }

  write(bytes: Buffer): boolean {
    if (!this.#hasBegun) this.#options.onRelayed?.();
    this.#sendHead({});
    return this.response.write(bytes);
  }

  writeParts(parts: readonly StreamPart[]): boolean {
    this.#sendHead({ contentType: this.#encoderOf().contentType });
    const events = this.#encoderOf().encode(parts);
    return events.length === 0 || this.response.write(events);
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    this.#sendHead({});
    if (this.#encoder === null) this.#options.onRelayed?.();
    // The end of what was converted: relayed streams and documents are complete.
    const isConverted = this.#encoder !== null && (bytes === null || bytes.length === 0);
    this.response.end(isConverted ? this.#encoderOf().end(costNano) : bytes, costNano);
  }

  endResult(result: GenerationResult, costNano: bigint | null): void {
    const document = this.#encoderOf().document(result, costNano);
    this.#sendHead({ contentType: 'application/json', contentLength: document.length });
    this.response.end(document, costNano);
  }

  override fail(error: SluiceError, routed: ResponseTarget | null): void {
    const { relayFailure } = this.#options;
    if (!this.#hasBegun || relayFailure === null) return this.response.fail(error, routed);
    const last = this.#encoder === null ? relayFailure(error) : this.#encoder.fail(error);
    this.response.end(last, null);
  }

  #sendHead(own: Partial<ResponseHead>): void {
    if (this.pendingHead === null) return;
    this.#hasBegun = true;
    this.response.head({ ...this.pendingHead, ...own });
    this.pendingHead = null;
  }

  #encoderOf(): ResponseEncoder {
    return (this.#encoder ??= this.#options.createEncoder());
  }
}
