import type { SluiceError } from '../../../../errors/index.ts';
import { partsOf, type GenerationResult } from '../../../../protocols/canonical/generation-result.ts';
import type { ResponseEncoder } from '../../../../protocols/canonical/protocol.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import type { ResponsesStreamEncoder } from '../../../../protocols/responses/encode-stream.ts';
import { responseError, type ResponseObject } from '../../../../protocols/responses/response-object.ts';

/** Receives a converted response once it is complete. @param costNano nano-USD; null if it is not known */
export type OnConverted = (response: ResponseObject, costNano: bigint | null) => void;

/** A converted response as bytes. */
export class EncodedResponse implements ResponseEncoder {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly #encoder: ResponsesStreamEncoder;
  readonly #onConverted: OnConverted;

  constructor(encoder: ResponsesStreamEncoder, onConverted: OnConverted) {
    this.#encoder = encoder;
    this.#onConverted = onConverted;
  }

  encode(parts: readonly StreamPart[]): Buffer {
    this.#encoder.encode(parts);
    return this.#take();
  }

  end(costNano: bigint | null): Buffer {
    this.#onConverted(this.#encoder.end(), costNano);
    return this.#take();
  }

  document(result: GenerationResult, costNano: bigint | null): Buffer {
    const response = this.#encoder.document(partsOf(result));
    this.#onConverted(response, costNano);
    return Buffer.from(JSON.stringify(response));
  }

  fail(error: SluiceError): Buffer {
    this.#onConverted(this.#encoder.fail(responseError(error)), null);
    return this.#take();
  }

  #take(): Buffer {
    return Buffer.from(
      this.#encoder
        .take()
        .map(({ type, json }) => `event: ${type}\ndata: ${json}\n\n`)
        .join(''),
    );
  }
}
