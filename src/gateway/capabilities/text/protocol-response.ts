import type { SluiceError } from '../../../errors/index.ts';
import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import type { ResponseEncoder } from '../../../protocols/canonical/protocol.ts';
import type { StreamPart } from '../../../protocols/canonical/stream-part.ts';
import type { ClientResponse, ResponseHead, ResponseTarget } from '../../client-response.ts';
import type { LimitBound } from '../../limits/limit-store.ts';

/** A response in the client's own protocol: encodes what was converted, and passes on what is relayed. */
export class ProtocolResponse implements ClientResponse {
  declare readonly origin?: string;
  readonly #response: ClientResponse;
  readonly #createEncoder: () => ResponseEncoder;
  #encoder: ResponseEncoder | null = null;
  /** Sent with the first output, which shows whether it is converted. */
  #head: ResponseHead | null = null;
  #hasBegun = false;

  /** @param createEncoder called once the request is parsed */
  constructor(response: ClientResponse, createEncoder: () => ResponseEncoder) {
    this.#response = response;
    this.#createEncoder = createEncoder;
    if (response.origin !== undefined) this.origin = response.origin;
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.#response.setBounds?.(bounds);
  }

  setOutputCap(tokens: number): void {
    this.#response.setOutputCap?.(tokens);
  }

  markUsed(): void {
    this.#response.markUsed?.();
  }

  head(head: ResponseHead): void {
    this.#head = head;
  }

  write(bytes: Buffer): boolean {
    this.#sendHead({});
    return this.#response.write(bytes);
  }

  writeParts(parts: readonly StreamPart[]): boolean {
    this.#sendHead({ contentType: this.#encoderOf().contentType });
    const events = this.#encoderOf().encode(parts);
    return events.length === 0 || this.#response.write(events);
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    this.#sendHead({});
    // The end of what was converted: relayed streams and documents are complete.
    const isConverted = this.#encoder !== null && (bytes === null || bytes.length === 0);
    this.#response.end(isConverted ? this.#encoderOf().end() : bytes, costNano);
  }

  endResult(result: GenerationResult, costNano: bigint | null): void {
    const document = this.#encoderOf().document(result);
    this.#sendHead({ contentType: 'application/json', contentLength: document.length });
    this.#response.end(document, costNano);
  }

  fail(error: SluiceError, routed: ResponseTarget | null): void {
    if (this.#hasBegun) this.#response.end(this.#encoderOf().fail(error), null);
    else this.#response.fail(error, routed);
  }

  abort(): void {
    this.#response.abort();
  }

  #sendHead(own: Partial<ResponseHead>): void {
    if (this.#head === null) return;
    this.#hasBegun = true;
    this.#response.head({ ...this.#head, ...own });
    this.#head = null;
  }

  #encoderOf(): ResponseEncoder {
    return (this.#encoder ??= this.#createEncoder());
  }
}
