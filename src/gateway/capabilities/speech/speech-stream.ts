import { SluiceError } from '../../../errors/index.ts';
import { speechMediaTypes } from '../../../providers/shared/media/speech-request.ts';
import { AudioMeter } from '../../media/audio-meter/audio-meter.ts';
import { mediaUsage, usdOf, type StreamRelay, type StreamRelayOptions, type TokenUsage } from '../capability.ts';
import type { SpeechSummary } from './speech-summary.ts';
import { deltaEvent, doneEvent, SpeechEvents } from './speech-events.ts';
import { countedUnits, speechUsage, type CountedUnits } from './speech-usage.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const nothing = Buffer.alloc(0);

/** Media types that do not identify a format. */
const genericMediaTypes = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/ogg']);

/**
 * Relays and measures speech, and converts between the provider's bytes or events and the requested ones. Matching
 * formats are forwarded byte for byte.
 */
export class SpeechStream implements StreamRelay {
  readonly finishReason = null;
  failure: SluiceError | null = null;
  readonly #options: StreamRelayOptions<SpeechSummary>;
  /** Null where the provider sends raw audio. */
  readonly #events: SpeechEvents | null;
  readonly #meter: AudioMeter;
  #counted: CountedUnits | null = null;
  #hasAudio = false;

  /** Null for a response that is neither audio nor events. */
  static of(options: StreamRelayOptions<SpeechSummary>): SpeechStream | null {
    const type = options.contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const isEvents = type === 'text/event-stream';
    return isEvents || type.startsWith('audio/') || genericMediaTypes.has(type)
      ? new SpeechStream(options, isEvents)
      : null;
  }

  private constructor(options: StreamRelayOptions<SpeechSummary>, isEvents: boolean) {
    this.#options = options;
    this.#events = isEvents ? new SpeechEvents(options.provider) : null;
    this.#meter = new AudioMeter(isEvents ? '' : options.contentType, options.summary.format);
  }

  /** The format of audio is read from its first bytes: a provider may send another one than requested. */
  get contentType(): string {
    const { summary, contentType } = this.#options;
    if (summary.events) return EVENT_STREAM;
    const { format, declaredFormat } = this.#meter;
    const isRequestedFormat =
      this.#events === null && contentType.startsWith('audio/') && (format === declaredFormat || format === null);
    return isRequestedFormat ? contentType : speechMediaTypes[format ?? summary.format];
  }

  get done(): boolean {
    return this.#events?.done === true;
  }

  /** Raw audio ends with the response. */
  get isComplete(): boolean {
    return this.#events === null && this.#hasAudio;
  }

  get usage(): TokenUsage {
    return speechUsage(this.#options.summary, this.#units, this.#meter.seconds, this.#events?.reportedTokens ?? null);
  }

  get isUsageEstimated(): boolean {
    const { tokens, seconds } = this.#units;
    const isTold = this.#events?.reportedTokens != null;
    return (tokens && !isTold) || (seconds && this.#meter.seconds === null);
  }

  /** The final cost is known for a model priced per character, or not at all. */
  get usageAtHead(): TokenUsage | null {
    const { tokens, seconds } = this.#units;
    const { characters } = this.#options.summary;
    return tokens || seconds ? null : mediaUsage([{ unit: 'character', quantity: characters }]);
  }

  get estimatedOutputTokens(): number {
    return this.usage.outputTokens;
  }

  push(bytes: Buffer): Buffer | null {
    if (this.failure || this.done) return null;
    const { events } = this.#options.summary;
    if (this.#events === null) {
      this.#measure(bytes);
      return events ? deltaEvent(bytes) : bytes;
    }
    try {
      const decoded = this.#events.push(bytes);
      this.failure = this.#events.failure;
      this.#measure(decoded.audio);
      const shown = events ? Buffer.from(decoded.events, 'latin1') : decoded.audio;
      // Events before the first audio are withheld: until then another target can take over.
      return shown.length === 0 || !this.#hasAudio ? null : shown;
    } catch (cause) {
      this.failure = new SluiceError('provider_invalid_response', {
        values: { provider: this.#options.provider },
        cause,
      });
      return null;
    }
  }

  get closing(): Buffer {
    const { summary, pricing } = this.#options;
    if (!summary.events) return nothing;
    const { usage } = this;
    const { inputTokens, outputTokens } = usage;
    const counts = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    };
    return doneEvent({ ...counts, ...this.#events?.reportedUsage, cost: usdOf(pricing, usage) });
  }

  #measure(audio: Buffer): void {
    if (audio.length === 0) return;
    this.#hasAudio = true;
    this.#meter.push(audio);
  }

  get #units(): CountedUnits {
    this.#counted ??= countedUnits(this.#options.pricing);
    return this.#counted;
  }
}
