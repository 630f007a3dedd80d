import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

/** Bytes; samples at a rate; what all frames of a stream have in common. */
interface Frame {
  readonly length: number;
  readonly samples: number;
  readonly rate: number;
  readonly kind: number;
}

const MPEG1 = 3;
const MPEG2 = 2;
const [LAYER_3, LAYER_2, LAYER_1, ADTS] = [1, 2, 3, 0];

/** kbit/s by the four bits of a frame's header. */
const bitrates = {
  v1l1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  v1l2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  v1l3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  v2l1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  v2l23: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const rates = [44_100, 48_000, 32_000];
const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/** The longest header, and room for the mark of a frame that only describes the others. */
const HEADER_BYTES = 7;
const DESCRIPTION_BYTES = 64;
/** How far in the first frame may begin. */
const SEARCHED_BYTES = 64 * 1024;

/**
 * Seconds of a stream of MP3 or AAC (ADTS) frames: each is counted, since what a header says of their number is anyone's text.
 * Null where it is no such stream. Source: ISO/IEC 11172-3, 13818-3 and 13818-7; ID3v2.
 * @throws AudioFault
 */
export async function mpegDuration(file: FileWindow): Promise<number | null> {
  const begin = await afterTag(file);
  let met = false;
  let seconds = 0;
  let position = begin;
  while (position + HEADER_BYTES <= file.size) {
    if (!file.holds(position, DESCRIPTION_BYTES)) await file.move(position);
    const bytes = file.from(position);
    const frame = readFrame(bytes);
    const describes = !met && describesOthers(bytes);
    // Streams that were joined may go on in frames of another kind.
    if (frame !== null && (await isFollowed(file, position, frame))) {
      met = true;
      if (!describes) seconds += frame.samples / frame.rate;
      position += frame.length;
      continue;
    }
    if (!met && position - begin > SEARCHED_BYTES) return null;
    position += Math.max(1, nextSync(file.from(position)));
  }
  if (!met) return null;
  if (seconds === 0) throw new AudioFault('it ends before its sound');
  return seconds;
}

/** A frame is one where the next begins, or the file ends, behind it. */
async function isFollowed(file: FileWindow, position: number, frame: Frame): Promise<boolean> {
  const next = position + frame.length;
  // The last one may be cut.
  if (next + HEADER_BYTES > file.size) return next <= file.size;
  if (!file.holds(next, HEADER_BYTES)) {
    // Both are held then.
    await file.move(position);
  }
  const header = file.from(next);
  // A tag may follow.
  return readFrame(header)?.kind === frame.kind || /^(TAG|APE|LYR|ID3|3DI)/.test(header.toString('latin1', 0, 3));
}

/** Behind an ID3v2 tag, or several: they hold pictures, too. */
async function afterTag(file: FileWindow): Promise<number> {
  let position = 0;
  for (let tags = 0; tags < 8; tags++) {
    const head = await file.at(position, 10);
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') break;
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
    const footer = ((head[5] ?? 0) & 0x10) === 0 ? 0 : 10;
    position += 10 + size + footer;
  }
  return position;
}

/** To where the next frame may begin. */
function nextSync(bytes: Buffer): number {
  const at = bytes.indexOf(0xff, 1);
  return at < 0 ? bytes.length : at;
}

function readFrame(bytes: Buffer): Frame | null {
  if (bytes.length < HEADER_BYTES || bytes[0] !== 0xff) return null;
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = bytes;
  if ((second & 0xe0) !== 0xe0) return null;
  const layer = (second >> 1) & 3;
  if (layer === ADTS)
    return (second & 0xf0) === 0xf0 ? readAdts(second, third, fourth, fifth, sixth, bytes[6] ?? 0) : null;
  const version = (second >> 3) & 3;
  const rate = rates[(third >> 2) & 3];
  const kbits = bitratesOf(version, layer)[third >> 4];
  // 1 is no version; a free bitrate (0) has frames of unknown length.
  if (version === 1 || rate === undefined || !kbits) return null;
  const actualRate = version === MPEG1 ? rate : version === MPEG2 ? rate / 2 : rate / 4;
  const samples = layer === LAYER_1 ? 384 : layer === LAYER_3 && version !== MPEG1 ? 576 : 1_152;
  const padding = (third >> 1) & 1;
  const length =
    layer === LAYER_1
      ? (Math.floor((12_000 * kbits) / actualRate) + padding) * 4
      : Math.floor(((samples / 8) * 1_000 * kbits) / actualRate) + padding;
  return { length, samples, rate: actualRate, kind: (version << 4) | (layer << 2) | ((third >> 2) & 3) };
}

function readAdts(
  second: number,
  third: number,
  fourth: number,
  fifth: number,
  sixth: number,
  seventh: number,
): Frame | null {
  const rateIndex = (third >> 2) & 15;
  const rate = adtsRates[rateIndex];
  const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  if (rate === undefined || length < HEADER_BYTES) return null;
  return { length, samples: 1_024 * ((seventh & 3) + 1), rate, kind: 0x100 | ((second & 8) << 4) | rateIndex };
}

function bitratesOf(version: number, layer: number): readonly number[] {
  if (version === MPEG1) return layer === LAYER_1 ? bitrates.v1l1 : layer === LAYER_2 ? bitrates.v1l2 : bitrates.v1l3;
  return layer === LAYER_1 ? bitrates.v2l1 : bitrates.v2l23;
}

/** Whether the first frame holds no sound but the number of the others. */
function describesOthers(frame: Buffer): boolean {
  return /Xing|Info|VBRI/.test(frame.toString('latin1', 0, DESCRIPTION_BYTES));
}
