import type { GenerationResult } from '../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../protocols/canonical/stream-part.ts';
import type { StreamRelay } from './capabilities/capability.ts';
import type { RelayedOutput } from './relayed-output.ts';

/** Processes what was received. */
export interface OutputReceiver {
  relayReceived(): void;
  /** Called with an error of `relayReceived`. */
  break(error: unknown): void;
}

/** Output of the provider that is not processed yet: bytes, or what was translated: the parts of a stream, or a result. */
export class ReceivedOutput {
  /** Null for a response that is delivered as bytes. */
  result: GenerationResult | null = null;
  readonly #bytes = new ReceivedBytes();
  #parts: StreamPart[] = [];
  #receiver: OutputReceiver | null = null;

  get isEmpty(): boolean {
    return this.#bytes.length === 0 && this.#parts.length === 0;
  }

  get bytes(): number {
    return this.#bytes.length;
  }

  push(bytes: Buffer): void {
    this.#bytes.push(bytes);
  }

  /** @param parts owned by this object from now on */
  pushParts(parts: StreamPart[]): void {
    if (this.#parts.length === 0) this.#parts = parts;
    else for (const part of parts) this.#parts.push(part);
  }

  /** All bytes as one buffer. */
  take(): Buffer {
    return this.#bytes.take();
  }

  /** What one socket read brings arrives in one turn of the event loop: it is processed together, after that turn. */
  schedule(receiver: OutputReceiver): void {
    if (this.#receiver !== null) return;
    this.#receiver = receiver;
    process.nextTick(processScheduled, this);
  }

  /** An exception would end the process here: it is passed to the receiver instead. */
  processScheduled(): void {
    const receiver = this.#receiver;
    this.#receiver = null;
    try {
      receiver?.relayReceived();
    } catch (error) {
      receiver?.break(error);
    }
  }

  /** @returns complete events for the client; null for none */
  relayTo(stream: StreamRelay): RelayedOutput | null {
    const parts = this.#parts;
    if (parts.length === 0) return stream.push(this.#bytes.take());
    this.#parts = [];
    return stream.pushParts?.(parts) ?? null;
  }

  clear(): void {
    this.#bytes.clear();
    this.#parts = [];
    this.result = null;
  }
}

/** Received bytes that are not processed yet. */
export class ReceivedBytes {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** Returns all bytes as one buffer: the original one if there was only one. */
  take(): Buffer {
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#parts = [];
    this.#length = 0;
  }
}

function processScheduled(received: ReceivedOutput): void {
  received.processScheduled();
}
