import type { SluiceError } from '../../../errors/index.ts';
import type { GenerationResult } from '../generation-result.ts';
import type { ResponseEncoder } from '../protocol.ts';
import type { StreamPart } from '../stream-part.ts';
import type { ToolNames } from './tool-names.ts';

/** Encodes a response with the client's own names of its tools. */
export class FullToolNames implements ResponseEncoder {
  readonly #encoder: ResponseEncoder;
  readonly #names: ToolNames;

  constructor(encoder: ResponseEncoder, names: ToolNames) {
    this.#encoder = encoder;
    this.#names = names;
  }

  get contentType(): string {
    return this.#encoder.contentType;
  }

  encode(parts: readonly StreamPart[]): Buffer {
    return this.#encoder.encode(parts.map((part) => (part.type === 'tool-call' ? this.#named(part) : part)));
  }

  end(costNano: bigint | null): Buffer {
    return this.#encoder.end(costNano);
  }

  document(result: GenerationResult, costNano: bigint | null): Buffer {
    const choices = result.choices.map((choice) => ({
      ...choice,
      calls: choice.calls.map((call) => this.#named(call)),
    }));
    return this.#encoder.document({ ...result, choices }, costNano);
  }

  fail(error: SluiceError): Buffer {
    return this.#encoder.fail(error);
  }

  #named<Call extends { readonly name: string }>(call: Call): Call {
    const name = this.#names.get(call.name);
    return name === undefined ? call : { ...call, name };
  }
}
