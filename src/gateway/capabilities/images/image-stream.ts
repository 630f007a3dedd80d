import { SluiceError } from '../../../errors/index.ts';
import { reportedError } from '../chat/reported-error.ts';
import { eventData, SseEventSplitter } from '../../../providers/shared/sse/sse-event-splitter.ts';
import { mediaUsage, usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import { addUsage, imagesUsage, type ImagesSummary } from './images-usage.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** An image of many megapixels in base64. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const USER_ERROR = 'image_generation_user_error';

/**
 * Relays OpenAI's image stream event by event: partial images, and each final one with its usage. The last event is
 * withheld until it is known to be the last: it reports the cost of the request. Text is handled as Latin-1, one
 * character per byte. Source: OpenAI's API document, ImageGenPartialImageEvent, ImageGenCompletedEvent,
 * ImageEditCompletedEvent.
 */
export class ImageStream implements StreamRelay {
  readonly contentType = EVENT_STREAM;
  readonly finishReason = null;
  readonly estimatedOutputTokens = 0;
  done = false;
  failure: SluiceError | null = null;
  readonly #options: StreamRelayOptions<ImagesSummary>;
  readonly #events = new SseEventSplitter(MAX_EVENT_BYTES);
  #completed = 0;
  #used: TokenUsage | null = null;
  #hasBegun = false;
  /** The last final image, parsed. */
  #last: Record<string, unknown> | null = null;

  constructor(options: StreamRelayOptions<ImagesSummary>) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#completed > 0;
  }

  /** For a broken stream, the requested images: the provider made them all, or was about to. */
  get usage(): TokenUsage | null {
    return this.#used ?? (this.#hasBegun ? usageWithoutResponse(this.#options.summary, 0) : null);
  }

  get isUsageEstimated(): boolean {
    return this.#used === null;
  }

  get closing(): Buffer {
    const last = this.#last;
    if (last === null) return NOTHING;
    const usage = isObject(last.usage) ? last.usage : {};
    const cost = usdOf(this.#options.pricing, this.#used ?? mediaUsage([]));
    return Buffer.from(rendered({ ...last, usage: { ...usage, cost } }));
  }

  push(bytes: Buffer): Buffer | null {
    if (this.done || this.failure) return null;
    try {
      return this.#relay(this.#events.push(bytes.toString('latin1')));
    } catch (cause) {
      this.failure = this.#invalidResponse(cause);
      return null;
    }
  }

  #relay(events: string): Buffer | null {
    let shown = '';
    for (let start = 0; start < events.length && !this.done && !this.failure;) {
      const end = events.indexOf('\n\n', start) + 2;
      shown += this.#event(events.slice(start, end));
      start = end;
    }
    return shown === '' ? null : Buffer.from(shown, 'latin1');
  }

  /** @returns events for the client */
  #event(event: string): string {
    const data = eventData(event);
    if (data === null || data === '[DONE]') return '';
    // A partial image has no usage and need not be parsed.
    if (event.includes('.partial_image"')) {
      this.#hasBegun = true;
      return this.#withLast(event);
    }
    const parsed = tryParse(Buffer.from(data, 'latin1').toString());
    if (!isObject(parsed)) {
      this.failure = this.#invalidResponse(new SyntaxError('an event holds no JSON object'));
      return '';
    }
    if (parsed.error || parsed.type === 'error') {
      this.failure = this.#reported(parsed);
      return '';
    }
    if (typeof parsed.type !== 'string' || !parsed.type.endsWith('.completed')) return this.#withLast(event);
    const before = this.#withLast('');
    this.#complete(parsed);
    return before;
  }

  #complete(parsed: Record<string, unknown>): void {
    const { summary } = this.#options;
    this.#hasBegun = true;
    this.#last = parsed;
    this.#completed++;
    const used = imagesUsage(parsed, 1, summary);
    this.#used = this.#used === null ? used : addUsage(this.#used, used);
    this.done = this.#completed >= summary.n;
  }

  /** Another event follows a final image, which therefore was not the last event. */
  #withLast(event: string): string {
    const last = this.#last;
    if (last === null) return event;
    this.#last = null;
    return Buffer.from(rendered(last)).toString('latin1') + event;
  }

  #reported(parsed: unknown): SluiceError {
    const error = isObject(parsed) ? (parsed.error ?? parsed) : null;
    // OpenAI's error type for a refused prompt or image: outside a stream it has status 400.
    const byCaller = isObject(error) && error.type === USER_ERROR;
    return reportedError(this.#options.provider, byCaller ? { ...error, status: 400 } : error);
  }

  #invalidResponse(cause: unknown): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, cause });
  }
}

/** Usage of a request that was sent and whose client disconnected. */
export function usageWithoutResponse({ n, size, quality }: ImagesSummary, inputTokens: number): TokenUsage {
  const terms = { ...(size !== null && { size }), ...(quality !== null && { quality }) };
  return mediaUsage([{ unit: 'image', quantity: n, ...terms }], inputTokens);
}

/** Formats one event as OpenAI does. */
export function rendered(event: Readonly<Record<string, unknown>>): string {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
