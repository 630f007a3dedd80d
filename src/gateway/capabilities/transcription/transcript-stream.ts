import { SluiceError } from '../../../errors/index.ts';
import { eventData, SseEventSplitter } from '../../../providers/shared/sse/sse-event-splitter.ts';
import { usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../capability.ts';
import { reportedError } from '../chat/reported-error.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import type { TranscriptionSummary } from './transcription-summary.ts';
import { transcriptOf } from './transcription-answer.ts';
import { readReportedTokens, transcriptionUsage, type ReportedTokens } from './transcription-usage.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** For an unstreamed transcript. */
const MAX_TRANSCRIPT_BYTES = 16 * 1024 * 1024;

/** Common to both kinds of transcript stream: usage, and the last event. */
abstract class TranscriptRelay implements StreamRelay {
  readonly contentType = EVENT_STREAM;
  readonly finishReason = null;
  failure: SluiceError | null = null;
  protected readonly options: StreamRelayOptions<TranscriptionSummary>;
  protected reportedTokens: ReportedTokens | null = null;
  /** Bytes of text so far. */
  protected textBytes = 0;

  constructor(options: StreamRelayOptions<TranscriptionSummary>) {
    this.options = options;
  }

  abstract readonly isComplete: boolean;
  abstract readonly done: boolean;
  abstract readonly closing: Buffer;
  abstract push(bytes: Buffer): Buffer | null;

  get usage(): TokenUsage {
    return this.#used.usage;
  }

  get isUsageEstimated(): boolean {
    return this.#used.isEstimated;
  }

  get estimatedOutputTokens(): number {
    return this.usage.outputTokens;
  }

  get #used(): ReturnType<typeof transcriptionUsage> {
    const { summary, pricing } = this.options;
    return transcriptionUsage(summary.seconds, this.reportedTokens, this.textBytes, pricing);
  }

  /** The provider's last event with its cost. */
  protected lastEvent(done: Readonly<Record<string, unknown>>): string {
    const { summary, pricing } = this.options;
    const reported = isObject(done.usage) ? done.usage : { type: 'duration', seconds: Math.ceil(summary.seconds) };
    const usage = { ...reported, cost: usdOf(pricing, this.usage) };
    return rendered({ ...done, type: 'transcript.text.done', usage });
  }

  protected invalidResponse(cause: unknown): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.options.provider }, cause });
  }
}

/**
 * Relays OpenAI's transcript events. The last one is withheld until the request is settled: it reports the cost.
 * Source: OpenAI's API document, CreateTranscriptionResponseStreamEvent.
 */
export class TranscriptStream extends TranscriptRelay {
  readonly #events = new SseEventSplitter();
  readonly #decoder = new TextDecoder();
  #last: Readonly<Record<string, unknown>> | null = null;

  get done(): boolean {
    return this.#last !== null;
  }

  /** Only the last event shows that the transcript is complete. */
  get isComplete(): boolean {
    return this.done;
  }

  get closing(): Buffer {
    return Buffer.from(this.#last === null ? '' : this.lastEvent(this.#last));
  }

  push(bytes: Buffer): Buffer | null {
    if (this.failure || this.done) return null;
    let shown = '';
    try {
      for (const event of this.#events.push(this.#decoder.decode(bytes, { stream: true })).split('\n\n')) {
        if (this.done || this.failure) break;
        shown += this.#event(event);
      }
    } catch (cause) {
      this.failure = this.invalidResponse(cause);
    }
    return shown === '' ? null : Buffer.from(shown);
  }

  /** @returns events for the client */
  #event(event: string): string {
    const data = eventData(event);
    // A comment, or OpenAI's end mark, which follows the last event.
    if (data === null || data === '' || data === '[DONE]') return '';
    const reported = tryParse(data);
    if (!isObject(reported)) {
      this.failure = this.invalidResponse(new SyntaxError('an event holds no JSON object'));
      return '';
    }
    if (reported.error || reported.type === 'error') {
      this.failure = reportedError(this.options.provider, reported.error ?? reported);
      return '';
    }
    if (reported.type !== 'transcript.text.done') {
      if (typeof reported.delta === 'string') this.textBytes += Buffer.byteLength(reported.delta);
      return `${event}\n\n`;
    }
    if (typeof reported.text === 'string') this.textBytes = Buffer.byteLength(reported.text);
    this.reportedTokens = readReportedTokens(reported.usage);
    this.#last = reported;
    return '';
  }
}

/** Converts an unstreamed transcript to the requested events. */
export class CompleteTranscript extends TranscriptRelay {
  readonly done = false;
  readonly #parts: Buffer[] = [];
  #length = 0;
  #transcript: ReturnType<typeof transcriptOf> | null = null;

  get isComplete(): boolean {
    this.#transcript ??= transcriptOf(Buffer.concat(this.#parts));
    if (this.#transcript === null) return false;
    this.reportedTokens = readReportedTokens(this.#transcript.usage);
    this.textBytes = Buffer.byteLength(this.#transcript.text);
    return true;
  }

  get closing(): Buffer {
    if (this.#transcript === null) return Buffer.alloc(0);
    const { text, usage } = this.#transcript;
    const done = { type: 'transcript.text.done', text, ...(isObject(usage) && { usage }) };
    return Buffer.from(rendered({ type: 'transcript.text.delta', delta: text }) + this.lastEvent(done));
  }

  push(bytes: Buffer): null {
    this.#length += bytes.length;
    if (this.#length > MAX_TRANSCRIPT_BYTES)
      this.failure = this.invalidResponse(new RangeError('the transcript is too long'));
    else this.#parts.push(bytes);
    return null;
  }
}

function rendered(event: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
