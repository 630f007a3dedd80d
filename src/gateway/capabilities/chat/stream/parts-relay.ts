import type { StreamPart, UsagePart } from '../../../../protocols/canonical/stream-part.ts';
import { DONE_EVENT } from '../../../../protocols/chat-completions/encode-stream.ts';
import { usageObject } from '../../../../protocols/canonical/usage.ts';
import { usdOf, type StreamRelay } from '../../capability.ts';
import { ObservedParts } from './observed-parts.ts';

const CLOSING = Buffer.from(DONE_EVENT);

/** Encodes the parts of a provider with another protocol as OpenAI's chat stream. */
export class PartsRelay extends ObservedParts<Buffer> implements StreamRelay {
  readonly closing = CLOSING;
  /** Since the last block. */
  #events = '';
  /** The last usage event, withheld until it is known to be the last. */
  #usageEvent = '';
  #withheld = '';

  protected override add(part: StreamPart): void {
    this.#events += this.encoder.encode(part);
    if (part.type === 'usage') this.#events += this.#reportUsage(part);
  }

  protected override take(): Buffer | null {
    const { observed } = this;
    let shown = this.#events;
    this.#events = '';
    if (this.#usageEvent !== '' && (observed.isFinal || this.done)) {
      shown += this.#usageEvent;
      observed.bytes -= Buffer.byteLength(this.#usageEvent);
      this.#usageEvent = '';
    }
    if (!this.hasContent) {
      observed.bytes += Buffer.byteLength(shown);
      this.#withheld += shown;
      return null;
    }
    if (this.#withheld !== '') {
      observed.bytes -= Buffer.byteLength(this.#withheld);
      shown = this.#withheld + shown;
      this.#withheld = '';
    }
    if (shown === '') return null;
    const bytes = Buffer.from(shown);
    observed.bytes += bytes.length;
    return bytes;
  }

  /** @returns an event of implausible usage, which is shown as it is; others are withheld */
  #reportUsage(part: UsagePart): string {
    const reported = this.observeUsage(part);
    const { wantsUsage, pricing } = this.options;
    if (!wantsUsage) return '';
    const usage = usageObject(part.usage);
    if (reported === null) return this.encoder.usageEvent(usage);
    this.#usageEvent = this.encoder.usageEvent({ ...usage, cost: usdOf(pricing, reported) });
    return '';
  }
}
