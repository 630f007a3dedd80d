import { isObject, membersOf, objectOf, textOf, type JsonObject } from '../canonical/json-members.ts';
import { dataOf, EventObserver } from '../canonical/event-observer.ts';
import type { StreamObserver } from '../canonical/protocol.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { readErrorDetails } from './errors.ts';
import { finishReason } from './stop-reason.ts';
import { chatUsage } from './usage.ts';

/**
 * Types as they stand in an event's JSON. JSON escapes the quotes of a text, so that no output looks like one. Source:
 * platform.claude.com/docs/en/build-with-claude/streaming.
 */
const DELTA = '"content_block_delta"';
const PARSED = /"type": ?"(?:message_start|message_delta|message_stop|error)"/;
const NO_OUTPUT = /"type": ?"(?:message_start|ping)"/;
/** In the result of a tool that the provider runs. */
const FILE = '"file_id"';
/** Of an event with almost no content. */
const ENVELOPE_BYTES = 120;

/** Observes Anthropic's events. Only those of the message itself are parsed. */
export class MessagesObserver extends EventObserver implements StreamObserver {
  usage: Usage | null = null;
  finishReason: FinishReason | null = null;
  isDone = false;
  readonly hasEndMark = true;
  hasOutput = false;
  model: string | null = null;
  /** Anthropic's tiers have one price. */
  readonly serviceTier = null;
  outputBytes = 0;
  /** Members may have any name. Counts are repeated as they grow. */
  readonly #counts: Record<string, unknown> = { __proto__: null };
  #container: JsonObject | null = null;
  /** Those that may name files. */
  readonly #blocks: JsonObject[] = [];

  /** Only what names objects; null for nothing. */
  get response(): JsonObject | null {
    const [container, content] = [this.#container, this.#blocks];
    return container === null && content.length === 0 ? null : { container, content };
  }

  protected observeEvent(event: string): void {
    if (event.includes(DELTA)) {
      this.hasOutput = true;
      this.outputBytes += Math.max(1, event.length - ENVELOPE_BYTES);
    } else if (PARSED.test(event)) this.#parse(dataOf(event));
    else if (event.includes('data:') && !NO_OUTPUT.test(event)) {
      this.hasOutput = true;
      if (event.includes(FILE)) this.#blocks.push(membersOf(dataOf(event).content_block));
    }
  }

  #parse(event: JsonObject): void {
    switch (event.type) {
      case 'message_start':
        if (!isObject(event.message)) return;
        this.model = textOf(event.message.model) ?? this.model;
        this.#container = objectOf(event.message.container) ?? this.#container;
        return this.#count(event.message.usage);
      case 'message_delta': {
        this.hasOutput = true;
        const { stop_reason: stopReason, container } = membersOf(event.delta);
        const reason = textOf(stopReason);
        this.#container = objectOf(container) ?? this.#container;
        if (reason !== null) this.finishReason = finishReason(reason);
        return this.#count(event.usage);
      }
      case 'message_stop':
        this.hasOutput = true;
        this.isDone = true;
        return;
      case 'error':
        this.error = readErrorDetails(event) ?? {
          message: 'it sent an error that says nothing',
          type: 'api_error',
          code: null,
        };
        return;
      default:
        this.hasOutput = true;
    }
  }

  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#counts[name] = value;
    this.usage = chatUsage(this.#counts);
  }
}
