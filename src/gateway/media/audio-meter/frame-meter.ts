import type { FormatMeter } from './format-meter.ts';
import { ByteWindow } from './byte-window.ts';
import { FRAME_HEADER_BYTES, readFrameHeader, type FrameHeader } from './frame-header.ts';

const ID3_HEADER = 10;
/** An encoder's tag follows at most 4 bytes of header and 32 of side information, and has a name of 4 bytes. */
const TAG_BYTES = 40;
const VBRI_AT = 36;

/**
 * Audio in self-contained frames: MPEG layers I to III, and AAC in ADTS. Each header contains the length in bytes and
 * the duration. A frame counts once its header has arrived, and is discounted if no frame of its kind follows.
 */
export class FrameMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#parse(window));
  #seconds = 0;
  /** The last frame, while it is not confirmed by a following one. */
  #unconfirmed: FrameHeader | null = null;
  #kind: number | null = null;
  /** Whether a frame has just ended and the next one is expected. */
  #atBoundary = true;
  #isFirst = true;
  /** Free format: the frame length without padding, known after two headers, and the bytes since the last header. */
  #freeBytes: number | null = null;
  #sinceFree: number | null = null;
  #freePadding = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #parse(window: Buffer): number {
    const done = this.#step(window);
    if (this.#sinceFree !== null) this.#sinceFree += done;
    return done;
  }

  #step(window: Buffer): number {
    if (this.#atBoundary && this.#sinceFree === null) {
      const tag = id3Length(window);
      if (tag !== null) return tag;
    }
    if (window[0] !== 0xff) {
      this.#onSyncLost();
      const next = window.indexOf(0xff, 1);
      return next < 0 ? window.length : next;
    }
    if (window.length < FRAME_HEADER_BYTES) return 0;
    const header = readFrameHeader(window);
    if (header === null || (this.#sinceFree !== null && (header.kind !== this.#kind || header.bytes !== null))) {
      this.#onSyncLost();
      return 1;
    }
    return this.#frame(header, window);
  }

  #frame(header: FrameHeader, window: Buffer): number {
    if (this.#isFirst && header.tagAt !== null && (header.bytes ?? 0) >= TAG_BYTES) {
      if (window.length < TAG_BYTES) return 0;
      this.#isFirst = false;
      // A silent frame that describes the file and is not played.
      if (isTag(window, 4 + header.tagAt) || isTag(window, VBRI_AT)) return header.bytes ?? 1;
    }
    this.#isFirst = false;
    const follows = this.#atBoundary && header.kind === this.#kind;
    if (!follows && this.#sinceFree === null) this.#discardUnconfirmed();
    this.#unconfirmed = follows || this.#sinceFree !== null ? null : header;
    this.#kind = header.kind;
    this.#seconds += header.seconds;
    this.#atBoundary = true;
    if (header.bytes !== null) return header.bytes;
    return this.#freeFrame(header);
  }

  #freeFrame(header: FrameHeader): number {
    if (this.#sinceFree !== null) this.#freeBytes = this.#sinceFree - this.#freePadding;
    this.#sinceFree = null;
    if (this.#freeBytes !== null) return this.#freeBytes + header.padding;
    this.#freePadding = header.padding;
    this.#sinceFree = 0;
    return 4;
  }

  /** The bytes here are not a frame. */
  #onSyncLost(): void {
    if (!this.#atBoundary || this.#sinceFree !== null) return;
    this.#atBoundary = false;
    this.#freeBytes = null;
  }

  #discardUnconfirmed(): void {
    if (this.#unconfirmed === null) return;
    this.#seconds -= this.#unconfirmed.seconds;
    this.#unconfirmed = null;
  }
}

/** Null where no tag starts; 0 where more bytes are needed. Source: id3.org, id3v2.4.0-structure, 3.1. */
function id3Length(window: Buffer): number | null {
  const mark = window.toString('latin1', 0, Math.min(3, window.length));
  if (!'ID3'.startsWith(mark)) return null;
  if (window.length < ID3_HEADER) return 0;
  const [flags = 0, a = 0, b = 0, c = 0, d = 0] = window.subarray(5);
  const footer = (flags & 0x10) === 0 ? 0 : ID3_HEADER;
  return ID3_HEADER + ((a & 0x7f) << 21) + ((b & 0x7f) << 14) + ((c & 0x7f) << 7) + (d & 0x7f) + footer;
}

function isTag(window: Buffer, at: number): boolean {
  const name = window.toString('latin1', at, at + 4);
  return name === 'Xing' || name === 'Info' || name === 'VBRI';
}
