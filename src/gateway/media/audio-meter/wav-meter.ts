import type { FormatMeter } from './audio-meter.ts';
import { readWavFormat, WAV_FORMAT_BYTES } from '../wav-format.ts';
import { ByteWindow } from './byte-window.ts';

const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;

/**
 * WAV: the bytes of its samples by what they come to in a second. A stream's header cannot know its length, and says 0 or
 * the largest number there is: then all that follows is samples. Several files one after the other count together.
 * Source: Microsoft, Multimedia Programming Interface and Data Specifications 1.0, WAVE.
 */
export class WavMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#look(window));
  #state: 'header' | 'chunk' | 'format' | 'samples' | 'over' = 'header';
  #bytesPerSecond = 0;
  /** Of the chunk it stands in. */
  #left = 0;
  #seconds = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #look(window: Buffer): number {
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
    // Chunks begin at even places.
    const padded = length + (length % 2);
    if (name === 'RIFF') {
      this.#state = 'header';
      return this.#look(window);
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

/** What cannot be measured is believed. */
function rateOf(format: Buffer): number {
  const { bytesPerSecond, declaredBytesPerSecond } = readWavFormat(format);
  return typeof bytesPerSecond === 'number' ? bytesPerSecond : declaredBytesPerSecond;
}
