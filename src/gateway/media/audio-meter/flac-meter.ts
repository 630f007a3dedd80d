import type { FormatMeter } from './audio-meter.ts';
import { ByteWindow } from './byte-window.ts';

const STREAM_INFO_BYTES = 34;
const BLOCK_HEADER = 4;

const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/**
 * FLAC: the samples of its frames. The header of the whole tells how many there will be, which is not what has come; and a
 * stream's tells nothing. Frames do not say their length: each is found by its mark, its check, and that its number follows.
 * Source: RFC 9639, 8.2 and 9.1.
 */
export class FlacMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#look(window));
  #state: 'mark' | 'block' | 'frames' = 'mark';
  #rate = 0;
  /** The number that the next frame has: of frames, or of samples where they differ in length. */
  #expected: number | null = null;
  #seconds = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #look(window: Buffer): number {
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
    // A mark that cannot be one is passed over without waiting for what follows it.
    if (window.length > 1 && ((window[1] ?? 0) & 0xfe) !== 0xf8) return 1;
    const bytes = headerLength(window);
    if (bytes === null || window.length < bytes) return bytes === null ? 1 : 0;
    const header = readHeader(window, bytes, this.#rate);
    if (header === null || (this.#expected !== null && header.number !== this.#expected)) return 1;
    this.#expected = header.number + (header.countsSamples ? header.samples : 1);
    if (header.rate > 0) this.#seconds += header.samples / header.rate;
    return bytes;
  }
}

interface Header {
  readonly number: number;
  readonly countsSamples: boolean;
  readonly samples: number;
  readonly rate: number;
}

/** With its check; more than has come where that does not show it yet, null where none begins. */
function headerLength(window: Buffer): number | null {
  const leading = 5;
  if (window.length < leading) return leading;
  const [, , third = 0, fourth = 0, fifth = 0] = window;
  const numberBytes = codedLength(fifth);
  const sizeCode = third >> 4;
  const rateCode = third & 0x0f;
  if (sizeCode === 0 || rateCode === 15 || fourth >> 4 > 10 || (fourth & 0x01) !== 0 || numberBytes === 0) return null;
  return 4 + numberBytes + sizeBytes(sizeCode) + rateBytes(rateCode) + 1;
}

function readHeader(window: Buffer, length: number, usualRate: number): Header | null {
  const [, second = 0, third = 0, , fifth = 0] = window;
  const numberBytes = codedLength(fifth);
  const number = readCoded(window, 4, numberBytes);
  if (number === null || crc8(window, length - 1) !== window[length - 1]) return null;
  const sizeCode = third >> 4;
  const sizeAt = 4 + numberBytes;
  const samples = blockSize(sizeCode, window, sizeAt);
  const rate = sampleRate(third & 0x0f, window, sizeAt + sizeBytes(sizeCode)) ?? usualRate;
  return { number, countsSamples: (second & 0x01) !== 0, samples, rate };
}

function sizeBytes(code: number): number {
  return code === 6 ? 1 : code === 7 ? 2 : 0;
}

function rateBytes(code: number): number {
  return code === 12 ? 1 : code === 13 || code === 14 ? 2 : 0;
}

/** Bytes of a number that is written as UTF-8 writes characters, up to 36 bits; 0 for what is none. */
function codedLength(first: number): number {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones < 2 || ones > 7 ? 0 : ones;
}

function readCoded(window: Buffer, at: number, length: number): number | null {
  let value = length === 1 ? (window[at] ?? 0) : (window[at] ?? 0) & (0x7f >> length);
  for (let place = at + 1; place < at + length; place++) {
    const byte = window[place] ?? 0;
    if ((byte & 0xc0) !== 0x80) return null;
    value = value * 64 + (byte & 0x3f);
  }
  return value;
}

function blockSize(code: number, window: Buffer, at: number): number {
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return (window[at] ?? 0) + 1;
  if (code === 7) return window.readUInt16BE(at) + 1;
  return 256 << (code - 8);
}

/** Undefined where the stream's own counts. */
function sampleRate(code: number, window: Buffer, at: number): number | undefined {
  if (code === 0) return undefined;
  if (code === 12) return (window[at] ?? 0) * 1_000;
  if (code === 13) return window.readUInt16BE(at);
  if (code === 14) return window.readUInt16BE(at) * 10;
  return rates[code];
}

/** Of the polynomial x^8 + x^2 + x + 1, over the first `length` bytes. */
function crc8(window: Buffer, length: number): number {
  let crc = 0;
  for (let at = 0; at < length; at++) {
    crc ^= window[at] ?? 0;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc;
}
