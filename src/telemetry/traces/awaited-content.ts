import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Clock, Timer } from '../../calendar/clock.ts';

/** Content is redacted about a second after its response; a span waits no longer than this for it. */
const MAX_WAIT_MS = 10_000;
const SWEEP_MS = 1_000;
/** Further spans are emitted without content. */
const MAX_SPANS = 1_000;

interface Waiting {
  readonly span: ReadableSpan;
  readonly addContent: (content: Attributes) => void;
  readonly until: number;
}

/** Spans of attempts that wait for the redacted content of their requests. */
export class AwaitedContent {
  readonly #emit: (span: ReadableSpan) => void;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  readonly #sweeper: Timer;

  constructor(clock: Clock, emit: (span: ReadableSpan) => void) {
    this.#clock = clock;
    this.#emit = emit;
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  wait(eventId: string, span: ReadableSpan, addContent: Waiting['addContent']): void {
    if (this.#waiting.size >= MAX_SPANS) return this.#emit(span);
    this.#waiting.set(eventId, { span, addContent, until: this.#clock.monotonic() + MAX_WAIT_MS });
  }

  /** Emits the span of a request with its content. */
  add(eventId: string, content: () => Attributes): void {
    const found = this.#waiting.get(eventId);
    if (found === undefined) return;
    this.#waiting.delete(eventId);
    found.addContent(content());
    this.#emit(found.span);
  }

  /** Emits what waits, without content. */
  close(): void {
    this.#sweeper.cancel();
    for (const { span } of this.#waiting.values()) this.#emit(span);
    this.#waiting.clear();
  }

  /** In the order in which they began to wait. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [eventId, { span, until }] of this.#waiting) {
      if (until > now) return;
      this.#waiting.delete(eventId);
      this.#emit(span);
    }
  }
}
