import type { FormatMeter } from './format-meter.ts';
import { readWavFormat, WAV_FORMAT_BYTES } from '../wav-format.ts';
import { ByteWindow } from './byte-window.ts';

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;

/**
 * WAV: the bytes of its samples divided by the byte rate. A streamed header cannot contain the length and has 0 or the
 * maximum: then all following bytes are samples. Concatenated files count together. Source: Microsoft, Multimedia
 * Programming Interface and Data Specifications 1.0, WAVE.
 */
export class WavMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#parse(window));
  #state: 'header' | 'chunk' | 'format' | 'samples' | 'over' = 'header';
  #bytesPerSecond = 0;
  /** Remaining bytes of the current chunk. */
  #left = 0;
  #seconds = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #parse(window: Buffer): number {
    switch (this.#state) {
      case 'header':
        if (window.length < RIFF_HEADER) return 0;
        this.#state = 'chunk';
        return RIFF_HEADER;
      case 'chunk':
        return window.length < CHUNK_HEADER ? 0 : this.#chunk(window);
      case 'format':
        if (window.length < WAV_FORMAT_BYTES) return 0;
        this.#bytesPerSecond = rateOf(window);
        this.#state = 'chunk';
        return this.#left;
      case 'samples':
        return this.#samples(window);
      case 'over':
        return window.length;
    }
  }

  #chunk(window: Buffer): number {
    const name = window.toString('latin1', 0, 4);
    const length = window.readUInt32LE(4);
    // Chunks start at even offsets.
    const padded = length + (length % 2);
    if (name === 'RIFF') {
      this.#state = 'header';
      return this.#parse(window);
    }
    if (name === 'fmt ' && length >= WAV_FORMAT_BYTES) {
      this.#state = 'format';
      this.#left = padded;
      return CHUNK_HEADER;
    }
    if (name === 'data') {
      this.#state = 'samples';
      this.#left = length === 0 || length === 0xffffffff ? Infinity : length;
      return CHUNK_HEADER;
    }
    if (!/^[\x20-\x7e]{4}$/.test(name)) {
      this.#state = 'over';
      return window.length;
    }
    return CHUNK_HEADER + padded;
  }

  #samples(window: Buffer): number {
    const bytes = Math.min(window.length, this.#left);
    if (this.#bytesPerSecond > 0) this.#seconds += bytes / this.#bytesPerSecond;
    this.#left -= bytes;
    if (this.#left === 0) this.#state = 'chunk';
    return bytes;
  }
}

/** The declared byte rate counts where it cannot be computed. */
function rateOf(format: Buffer): number {
  const { bytesPerSecond, declaredBytesPerSecond } = readWavFormat(format);
  return typeof bytesPerSecond === 'number' ? bytesPerSecond : declaredBytesPerSecond;
}
