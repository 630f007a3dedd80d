import type { FormatMeter } from './audio-meter.ts';
import { ByteWindow } from './byte-window.ts';
import { FRAME_HEADER_BYTES, readFrameHeader, type FrameHeader } from './frame-header.ts';

const ID3_HEADER = 10;
/** An encoder's tag stands at the latest behind a header of 4 bytes, 32 of side information, and has 4 of its name. */
const TAG_BYTES = 40;
const VBRI_AT = 36;

/**
 * Audio in frames of their own: MPEG layers I to III, and AAC in ADTS. Each frame's header says how long it is, in bytes and
 * in time. A frame counts once its header has come; one that no other of its kind follows was none, and is taken back.
 */
export class FrameMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#look(window));
  #seconds = 0;
  /** The last frame, where it is not sure yet that it was one. */
  #doubtful: FrameHeader | null = null;
  #kind: number | null = null;
  /** A frame has just ended: the next one begins here. */
  #atBoundary = true;
  #isFirst = true;
  /** Of free format: the bytes of a frame without its padding, once two headers have shown it; and those since the last header. */
  #freeBytes: number | null = null;
  #sinceFree: number | null = null;
  #freePadding = 0;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number {
    return this.#seconds;
  }

  #look(window: Buffer): number {
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
      this.#lost();
      const next = window.indexOf(0xff, 1);
      return next < 0 ? window.length : next;
    }
    if (window.length < FRAME_HEADER_BYTES) return 0;
    const header = readFrameHeader(window);
    if (header === null || (this.#sinceFree !== null && (header.kind !== this.#kind || header.bytes !== null))) {
      this.#lost();
      return 1;
    }
    return this.#frame(header, window);
  }

  #frame(header: FrameHeader, window: Buffer): number {
    if (this.#isFirst && header.tagAt !== null && (header.bytes ?? 0) >= TAG_BYTES) {
      if (window.length < TAG_BYTES) return 0;
      this.#isFirst = false;
      // It is a frame of silence that tells of the file; decoders play none of it.
      if (isTag(window, 4 + header.tagAt) || isTag(window, VBRI_AT)) return header.bytes ?? 1;
    }
    this.#isFirst = false;
    const follows = this.#atBoundary && header.kind === this.#kind;
    if (!follows && this.#sinceFree === null) this.#takeBack();
    this.#doubtful = follows || this.#sinceFree !== null ? null : header;
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

  /** What stands here is no frame. */
  #lost(): void {
    if (!this.#atBoundary || this.#sinceFree !== null) return;
    this.#atBoundary = false;
    this.#freeBytes = null;
  }

  #takeBack(): void {
    if (this.#doubtful === null) return;
    this.#seconds -= this.#doubtful.seconds;
    this.#doubtful = null;
  }
}

/** Null where no tag begins; 0 where too little has come to tell. Source: id3.org, id3v2.4.0-structure, 3.1. */
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
