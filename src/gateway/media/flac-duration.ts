import { AudioFault } from './audio-fault.ts';
import type { FileWindow } from './file-window.ts';

const STREAM_INFO_BYTES = 42;
/** Where the last frames are: one takes rarely more than 20 KB. */
const TAIL_BYTES = 64 * 1024;
const LONGEST_FRAME_HEADER = 16;

/** A frame's place in the stream, in samples. */
interface FrameHeader {
  readonly begins: number;
  readonly ends: number;
}

/**
 * Seconds of a FLAC file, by the place that its last frame says to have; what its header says is anyone's text, or missing.
 * Source: RFC 9639, sections 8.2 and 9.1.
 * @throws AudioFault
 */
export async function flacDuration(file: FileWindow): Promise<number> {
  const info = Buffer.from(await file.at(0, STREAM_INFO_BYTES));
  if (info.length < STREAM_INFO_BYTES) throw new AudioFault('it ends within its header');
  const rate = info.readUIntBE(18, 3) >> 4;
  const blockSize = info.readUInt16BE(8);
  const told = ((info[21] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(22);
  if (rate === 0) throw new AudioFault('its header does not say how it is sampled');
  const tailStart = Math.max(STREAM_INFO_BYTES, file.size - TAIL_BYTES);
  const tail = await file.at(tailStart, TAIL_BYTES);
  let last: FrameHeader | null = null;
  let confirmed: FrameHeader | null = null;
  for (let at = tail.indexOf(0xff); at >= 0; at = tail.indexOf(0xff, at + 1)) {
    const frame = readFrameHeader(tail.subarray(at, at + LONGEST_FRAME_HEADER), blockSize);
    if (frame === null) continue;
    // Sound may look like a header: two that follow each other are none by chance.
    // Whatever stands behind the furthest of them does not shorten what was before.
    if (last?.ends === frame.begins && frame.ends > (confirmed?.ends ?? 0)) confirmed = frame;
    last = frame;
  }
  const end = confirmed?.ends ?? last?.ends ?? told;
  if (end === 0) throw new AudioFault('it ends before its sound');
  return end / rate;
}

function readFrameHeader(bytes: Buffer, fixedBlockSize: number): FrameHeader | null {
  const [first, second = 0, third = 0, fourth = 0] = bytes;
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || (fourth & 1) === 1) return null;
  const number = readCodedNumber(bytes, 4);
  if (number === null) return null;
  let at = 4 + number.width;
  const sizeBits = third >> 4;
  const rateBits = third & 15;
  const uncommon = sizeBits === 6 ? 1 : sizeBits === 7 ? 2 : 0;
  if (sizeBits === 0 || rateBits === 15 || bytes.length < at + uncommon + 2) return null;
  const size = uncommon > 0 ? bytes.readUIntBE(at, uncommon) + 1 : commonBlockSize(sizeBits);
  at += uncommon + (rateBits === 12 ? 1 : rateBits >= 13 ? 2 : 0);
  if (at >= bytes.length || crc8(bytes.subarray(0, at)) !== bytes[at]) return null;
  const isVariable = (second & 1) === 1;
  const begins = isVariable ? number.value : number.value * fixedBlockSize;
  return { begins, ends: begins + size };
}

function commonBlockSize(bits: number): number {
  if (bits === 1) return 192;
  return bits < 6 ? 144 << bits : 1 << bits;
}

/** As UTF-8 codes characters, up to 36 bits. */
function readCodedNumber(bytes: Buffer, at: number): { readonly value: number; readonly width: number } | null {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) return { value: first, width: 1 };
  const width = Math.clz32(~first << 24);
  if (width < 2 || width > 7) return null;
  let value = width >= 7 ? 0 : first & (0x7f >> width);
  for (let next = at + 1; next < at + width; next++) {
    const byte = bytes[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return null;
    value = value * 64 + (byte & 0x3f);
  }
  return { value, width };
}

/** Polynomial x^8 + x^2 + x + 1. */
function crc8(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc & 0xff;
}
