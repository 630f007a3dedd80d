import type { FormatMeter } from './format-meter.ts';
import { ByteWindow } from './byte-window.ts';

const PAGE_HEADER = 27;
const OPUS_RATE = 48_000;
/** Bytes of a stream's first packet that identify its codec. */
const HEAD_BYTES = 19;
const NO_PACKET_ENDS = 0xffffffffffffffffn;

/** The second byte contains the number of frames. */
const MANY_FRAMES = 3;
const [CONTINUED, FIRST, LAST] = [0x01, 0x02, 0x04];

/** A logical stream. Positions are in samples from its start. */
interface LogicalStream {
  readonly rate: number;
  readonly isOpus: boolean;
  readonly serial: number;
  /** Initial samples that are not played. */
  readonly preSkip: number;
  /** Start position, not 0 in an excerpt. Null before the first audio. */
  start: number | null;
  end: number;
}

/**
 * The first page with audio: the offsets of packets that start and end on it, and the samples of those parsed so far.
 */
interface FirstPage {
  readonly starts: readonly number[];
  readonly end: number;
  /** Length of its body. */
  readonly bytes: number;
  next: number;
  at: number;
  samples: number;
}

/**
 * Opus (or Vorbis) in Ogg: each page contains its end position. Concatenated files count together. Source: RFC 3533, 6;
 * RFC 7845, 4; RFC 6716, 3.1; Vorbis I, A.2.
 */
export class OggMeter implements FormatMeter {
  readonly #window = new ByteWindow((window) => this.#parse(window));
  #stream: LogicalStream | null = null;
  #before = 0;
  /** Set at the start of a stream: the serial number and body length of its first page. */
  #head: { readonly serial: number; readonly bytes: number } | null = null;
  #packets: FirstPage | null = null;

  push(bytes: Buffer): void {
    this.#window.push(bytes);
  }

  get seconds(): number | null {
    return this.#stream === null ? (this.#before > 0 ? this.#before : null) : this.#before + lengthOf(this.#stream);
  }

  #parse(window: Buffer): number {
    if (this.#head !== null) return this.#readHead(window, this.#head);
    if (this.#packets !== null) return this.#readPackets(window, this.#packets);
    return this.#page(window);
  }

  #page(window: Buffer): number {
    if (window.length < 4) return 0;
    if (window.toString('latin1', 0, 4) !== 'OggS') {
      const next = window.indexOf('OggS', 1, 'latin1');
      return next < 0 ? window.length - 3 : next;
    }
    const segments = window[PAGE_HEADER - 1] ?? 0;
    const bodyAt = PAGE_HEADER + segments;
    if (window.length < PAGE_HEADER || window.length < bodyAt) return 0;
    const lacing = window.subarray(PAGE_HEADER, bodyAt);
    const body = lacing.reduce((sum, length) => sum + length, 0);
    const flags = window[5] ?? 0;
    const serial = window.readUInt32LE(14);
    const granule = window.readBigUInt64LE(6);
    if ((flags & FIRST) !== 0) {
      if (body > 0) this.#head = { serial, bytes: body };
      return bodyAt;
    }
    const stream = this.#stream;
    if (stream?.serial !== serial || granule === NO_PACKET_ENDS || granule === 0n) return bodyAt + body;
    const end = Number(granule);
    if (stream.start !== null) {
      stream.end = Math.max(stream.end, end);
      return bodyAt + body;
    }
    const starts = packetStarts(lacing, (flags & CONTINUED) !== 0);
    // A single page may end within its packets.
    if (!stream.isOpus || (flags & LAST) !== 0 || starts.length === 0) {
      stream.start = 0;
      stream.end = end;
      return bodyAt + body;
    }
    this.#packets = { starts, next: 0, at: 0, samples: 0, end, bytes: body };
    return bodyAt;
  }

  #readHead(window: Buffer, { serial, bytes }: { readonly serial: number; readonly bytes: number }): number {
    const needed = Math.min(bytes, HEAD_BYTES);
    if (window.length < needed) return 0;
    this.#head = null;
    const isOpus = needed >= 12 && window.toString('latin1', 0, 8) === 'OpusHead';
    const isVorbis = needed >= 16 && window.toString('latin1', 0, 7) === '\x01vorbis';
    const rate = isOpus ? OPUS_RATE : isVorbis ? window.readUInt32LE(12) : 0;
    if (rate > 0) {
      if (this.#stream !== null) this.#before += lengthOf(this.#stream);
      const preSkip = isOpus ? window.readUInt16LE(10) : 0;
      this.#stream = { rate, isOpus, serial, preSkip, start: null, end: 0 };
    }
    return bytes;
  }

  /** The start position is the end position of the first page minus its samples. */
  #readPackets(window: Buffer, page: FirstPage): number {
    const start = page.starts[page.next] ?? page.bytes;
    if (page.at < start) {
      const done = start - page.at;
      page.at = start;
      return done;
    }
    const first = window[0] ?? 0;
    if (window.length < 2 && frameCode(first) === MANY_FRAMES) return 0;
    page.samples += packetSamples(first, window[1] ?? 0);
    page.next++;
    if (page.next < page.starts.length) {
      page.at++;
      return 1;
    }
    this.#packets = null;
    if (this.#stream !== null) {
      this.#stream.start = Math.max(0, page.end - page.samples);
      this.#stream.end = page.end;
    }
    return page.bytes - start;
  }
}

function lengthOf({ rate, preSkip, start, end }: LogicalStream): number {
  return Math.max(0, end - (start ?? 0) - preSkip) / rate;
}

/** Offsets of the packets that start and end within a page. */
function packetStarts(lacing: Buffer, isContinued: boolean): number[] {
  const starts: number[] = [];
  let start = isContinued ? -1 : 0;
  let at = 0;
  for (const length of lacing) {
    at += length;
    if (length === 255) continue;
    if (start >= 0 && at > start) starts.push(start);
    start = at;
  }
  return starts;
}

function frameCode(first: number): number {
  return first & 0x03;
}

/** Samples of an Opus packet, by its first two bytes. */
export function packetSamples(first: number, second: number): number {
  const config = first >> 3;
  const place = config & 0x03;
  const silk = [480, 960, 1_920, 2_880];
  const celt = [120, 240, 480, 960];
  const frame = config < 12 ? silk[place] : config < 16 ? silk[config & 0x01] : celt[place];
  const code = frameCode(first);
  const frames = code === 0 ? 1 : code === MANY_FRAMES ? second & 0x3f : 2;
  return (frame ?? 0) * frames;
}
