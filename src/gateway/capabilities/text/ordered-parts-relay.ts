import type { StreamPart, UsagePart } from '../../../protocols/canonical/stream-part.ts';
import { usdOf, type StreamRelay } from '../capability.ts';
import { ObservedParts } from '../chat/stream/observed-parts.ts';

/** The response itself encodes its end. */
const CLOSING = Buffer.alloc(0);

/** Relays the parts of a provider with another protocol in their order, for a protocol that signs reasoning where it occurs. */
export class OrderedPartsRelay extends ObservedParts<readonly StreamPart[]> implements StreamRelay {
  readonly closing = CLOSING;
  #parts: StreamPart[] = [];
  /** The last usage of a turn. */
  #usage: UsagePart | null = null;

  protected override add(part: StreamPart): void {
    this.observed.bytes += Buffer.byteLength(this.encoder.encode(part));
    if (part.type !== 'usage') return void this.#parts.push(part);
    const reported = this.observeUsage(part);
    if (reported !== null) this.#usage = { ...part, cost: usdOf(this.options.pricing, reported) };
  }

  protected override take(): readonly StreamPart[] | null {
    // The first events of some protocols say what the input was.
    if (this.#usage !== null) {
      this.#parts.push(this.#usage);
      this.#usage = null;
    }
    if (!this.hasContent || this.#parts.length === 0) return null;
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}
