import type { FormatMeter } from './format-meter.ts';
import { ByteWindow } from './byte-window.ts';
import { readFlacHeader } from './flac-header.ts';

const STREAM_INFO_BYTES = 34;
const BLOCK_HEADER = 4;

/**
 * Counts the samples of FLAC frames. The stream header contains the final number, not the one so far, or none. Frames
 * do not contain their length: each is found by its sync code, checksum and consecutive number. Source: RFC 9639, 8.2
 * and 9.1.
 */
export class FlacMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#parse(window));
  #state: 'mark' | 'block' | 'frames' = 'mark';
  #rate = 0;
  /** The expected number of the next frame: a count of frames, or of samples. */
  #expected: number | null = null;
  #seconds = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #parse(window: Buffer): number {
    if (this.#state === 'mark') {
      if (window.length < 4) return 0;
      this.#state = 'block';
      return 4;
    }
    if (this.#state === 'block') return this.#block(window);
    if (window[0] !== 0xff) {
      const next = window.indexOf(0xff, 1);
      return next < 0 ? window.length : next;
    }
    return this.#frame(window);
  }

  #block(window: Buffer): number {
    if (window.length < BLOCK_HEADER) return 0;
    const [first = 0] = window;
    const length = window.readUIntBE(1, 3);
    if ((first & 0x7f) === 0 && length >= STREAM_INFO_BYTES) {
      if (window.length < BLOCK_HEADER + STREAM_INFO_BYTES) return 0;
      this.#rate = window.readUIntBE(BLOCK_HEADER + 10, 3) >> 4;
    }
    if ((first & 0x80) !== 0) this.#state = 'frames';
    return BLOCK_HEADER + length;
  }

  #frame(window: Buffer): number {
    const header = readFlacHeader(window);
    if (header === 'cut') return 0;
    if (header === null || (this.#expected !== null && header.number !== this.#expected)) return 1;
    this.#expected = header.number + (header.countsSamples ? header.samples : 1);
    const rate = header.rate ?? this.#rate;
    if (rate > 0) this.#seconds += header.samples / rate;
    return header.bytes;
  }
}
