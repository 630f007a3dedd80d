import { type Clock, type Timer } from '../../../calendar/clock.ts';
import type { Upstream, UpstreamReceiver } from '../../contract.ts';
import type { AudioPart } from './audio-part.ts';

/** Bytes delivered at once. */
const SLICE_BYTES = 32 * 1024;

export interface Pace {
  readonly tokensPerSecond: number;
  /** Tokens per second of audio. */
  readonly tokensOf: (seconds: number) => number;
}

/** Delivers audio at a fixed pace, like a socket: not while paused, and never after an abort. */
export class AudioPump implements Upstream {
  readonly #receiver: UpstreamReceiver;
  readonly #parts: Iterator<AudioPart>;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #tokensSent = 0;
  #waiting: AudioPart | null = null;
  #paused = false;
  #over = false;
  #turn: Timer | undefined;

  constructor(receiver: UpstreamReceiver, parts: Iterator<AudioPart>, pace: Pace, clock: Clock) {
    this.#receiver = receiver;
    this.#parts = parts;
    this.#pace = pace;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Sends the head in a later turn, then all of the audio. */
  start(contentType: string): void {
    this.#turn = this.#clock.setTimeout(() => {
      this.#receiver.onHead(200, { 'content-type': contentType });
      this.#run();
    }, 0);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#schedule(0);
  }

  abort(): void {
    this.#over = true;
    this.#turn?.cancel();
  }

  #run(): void {
    if (this.#paused || this.#over) return;
    const slice: Buffer[] = [];
    let bytes = 0;
    let delay = 0;
    let isEnd = false;
    while (bytes < SLICE_BYTES) {
      const part = this.#waiting ?? this.#nextPart();
      if (part === null) {
        isEnd = true;
        break;
      }
      delay = this.#delay(part);
      this.#waiting = part;
      if (delay > 0) break;
      slice.push(part.bytes);
      bytes += part.bytes.length;
      this.#tokensSent += this.#pace.tokensOf(part.seconds);
      this.#waiting = null;
    }
    if (bytes > 0) this.#receiver.onData(Buffer.concat(slice));
    if (isEnd && !this.#over) {
      this.#over = true;
      this.#receiver.onEnd();
    } else this.#schedule(delay);
  }

  #nextPart(): AudioPart | null {
    const next = this.#parts.next();
    return next.done === true ? null : next.value;
  }

  /** Milliseconds until a part is due, relative to the start, so that delays do not add up. */
  #delay({ seconds }: AudioPart): number {
    const { tokensPerSecond, tokensOf } = this.#pace;
    if (tokensPerSecond <= 0) return 0;
    const due = this.#startedAt + ((this.#tokensSent + tokensOf(seconds)) / tokensPerSecond) * 1_000;
    return due - this.#clock.monotonic();
  }

  #schedule(delay: number): void {
    if (this.#over || this.#paused) return;
    this.#turn?.cancel();
    this.#turn = this.#clock.setTimeout(() => this.#run(), Math.max(0, Math.ceil(delay)));
  }
}
