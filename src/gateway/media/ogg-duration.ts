import { packetSamples } from './audio-meter/ogg-meter.ts';
import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

const PAGE_HEADER = 27;
const FIRST = 0x02;
const CONTINUED = 0x01;
const NO_PACKET_ENDS = 0xffff_ffff_ffff_ffffn;
const HEAD_BYTES = 30;
/** A file with more is no recording. */
const MAX_STREAMS = 1_000;
const OPUS_RATE = 48_000;

/**
 * Duration of Opus or Vorbis in Ogg in seconds: by the end position of each page, or by the packets where those are
 * longer, since positions can be forged. Concatenated streams count together. Null where there is neither. Source: RFC
 * 3533, 6; RFC 7845, 3 and 4; Vorbis I, 4.2.2, 4.3.1 and A.2.
 * @throws AudioFault
 */
export async function oggDuration(file: FileWindow, begin: number): Promise<number | null> {
  const streams = new Map<number, Stream | null>();
  let before: number | null = null;
  for (let at = begin; at < file.size;) {
    const head = await file.at(at, PAGE_HEADER + 255);
    if (head.toString('latin1', 0, 4) !== 'OggS' || head.length < PAGE_HEADER) {
      const next = file.from(at).indexOf('OggS', 1, 'latin1');
      at += next > 0 ? next : Math.max(1, file.from(at).length - 3);
      continue;
    }
    const lacing = Buffer.from(head.subarray(PAGE_HEADER, PAGE_HEADER + (head[26] ?? 0)));
    const page = { flags: head[5] ?? 0, granule: head.readBigUInt64LE(6), body: at + PAGE_HEADER + lacing.length };
    const serial = head.readUInt32LE(14);
    if ((page.flags & FIRST) !== 0) {
      if (streams.size > MAX_STREAMS) throw new AudioFault('it has too many streams');
      const ended = streams.get(serial);
      if (ended != null) before = (before ?? 0) + ended.seconds;
      streams.set(serial, streamOf(await file.at(page.body, Math.min(HEAD_BYTES, lacing[0] ?? 0))));
    } else await streams.get(serial)?.addPage(file, page, lacing);
    at = page.body + lacing.reduce((sum, length) => sum + length, 0);
  }
  const left = [...streams.values()].filter((stream) => stream !== null).map(({ seconds }) => seconds);
  return left.length === 0 ? before : left.reduce((sum, seconds) => sum + seconds, before ?? 0);
}

/** Samples of a packet by its first two bytes. */
type Measure = (first: number, second: number) => number;

function streamOf(head: Buffer): Stream | null {
  if (head.length >= 19 && head.toString('latin1', 0, 8) === 'OpusHead')
    return new Stream({ rate: OPUS_RATE, skip: head.readUInt16LE(10), headers: 1, measure: packetSamples });
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, 7) !== '\x01vorbis' || head.readUInt32LE(12) === 0)
    return null;
  const sizes = head[28] ?? 0;
  return new Stream({
    rate: head.readUInt32LE(12),
    skip: 0,
    headers: 2,
    measure: vorbisPackets(1 << (sizes & 15), 1 << (sizes >> 4)),
  });
}

/**
 * Each packet but the first adds a quarter of its block size and of the previous one's. Encoders write two modes, of
 * which the second is long.
 */
function vorbisPackets(short: number, long: number): Measure {
  let before: number | null = null;
  return (first) => {
    if ((first & 1) !== 0) return 0;
    const length = (first & 2) === 0 ? short : long;
    const samples = before === null ? 0 : (before + length) / 4;
    before = length;
    return samples;
  };
}

class Stream {
  readonly #kind: { readonly rate: number; readonly skip: number; readonly measure: Measure };
  /** Header packets after the first one. */
  #headers: number;
  #isWithin = false;
  #samples = 0;
  #start: number | null = null;
  #end = 0;

  constructor({ headers, ...kind }: { rate: number; skip: number; headers: number; measure: Measure }) {
    this.#kind = kind;
    this.#headers = headers;
  }

  get seconds(): number {
    const { rate, skip } = this.#kind;
    return Math.max(0, this.#end - (this.#start ?? 0) - skip, this.#samples - skip) / rate;
  }

  async addPage(
    file: FileWindow,
    page: { flags: number; granule: bigint; body: number },
    lacing: Buffer,
  ): Promise<void> {
    let isNew = (page.flags & CONTINUED) === 0 || !this.#isWithin;
    let at = page.body;
    const before = this.#samples;
    for (const length of lacing) {
      if (isNew && length > 0) await this.#begin(file, at);
      isNew = length < 255;
      at += length;
    }
    this.#isWithin = !isNew;
    if (page.granule === NO_PACKET_ENDS || page.granule === 0n) return;
    const end = Number(page.granule);
    // An excerpt does not start at 0.
    this.#start ??= Math.max(0, end - (this.#samples - before));
    this.#end = Math.max(this.#end, end);
  }

  async #begin(file: FileWindow, at: number): Promise<void> {
    if (this.#headers > 0) {
      this.#headers--;
      return;
    }
    if (!file.holds(at, 2)) await file.move(at);
    const [first = 0, second = 0] = file.from(at);
    this.#samples += this.#kind.measure(first, second);
  }
}
