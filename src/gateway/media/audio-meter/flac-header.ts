/** The header of a FLAC frame. */
export interface FlacHeader {
  /** Length of the header with its checksum. */
  readonly bytes: number;
  /** Number of frames before it, or of samples in streams of variable block size. */
  readonly number: number;
  readonly countsSamples: boolean;
  readonly samples: number;
  /** Null where the stream's rate applies. */
  readonly rate: number | null;
}

export const MAX_FLAC_HEADER_BYTES = 16;

const LEADING_BYTES = 5;
const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Null for no header, `cut` where more bytes are needed. Source: RFC 9639, 9.1. */
export function readFlacHeader(window: Buffer): FlacHeader | 'cut' | null {
  const [first, second, third = 0, fourth = 0, fifth = 0] = window;
  // An invalid sync code is skipped without waiting for more bytes.
  if (first !== 0xff || (second !== undefined && (second & 0xfe) !== 0xf8)) return null;
  if (window.length < LEADING_BYTES) return 'cut';
  const numberBytes = codedLength(fifth);
  const sizeCode = third >> 4;
  const rateCode = third & 0x0f;
  if (sizeCode === 0 || rateCode === 15 || fourth >> 4 > 10 || (fourth & 0x01) !== 0 || numberBytes === 0) return null;
  const sizeAt = 4 + numberBytes;
  const rateAt = sizeAt + sizeBytes(sizeCode);
  const bytes = rateAt + rateBytes(rateCode) + 1;
  if (window.length < bytes) return 'cut';
  const number = readCoded(window, 4, numberBytes);
  if (number === null || crc8(window, bytes - 1) !== window[bytes - 1]) return null;
  return {
    bytes,
    number,
    countsSamples: ((second ?? 0) & 0x01) !== 0,
    samples: blockSize(sizeCode, window, sizeAt),
    rate: sampleRate(rateCode, window, rateAt),
  };
}

function sizeBytes(code: number): number {
  return code === 6 ? 1 : code === 7 ? 2 : 0;
}

function rateBytes(code: number): number {
  return code === 12 ? 1 : code === 13 || code === 14 ? 2 : 0;
}

/** Bytes of a number in UTF-8's encoding, up to 36 bits; 0 if it is invalid. */
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

function sampleRate(code: number, window: Buffer, at: number): number | null {
  if (code === 0) return null;
  if (code === 12) return (window[at] ?? 0) * 1_000;
  if (code === 13) return window.readUInt16BE(at);
  if (code === 14) return window.readUInt16BE(at) * 10;
  return rates[code] ?? null;
}

/** CRC-8 with the polynomial x^8 + x^2 + x + 1 over the first `length` bytes. */
function crc8(window: Buffer, length: number): number {
  let crc = 0;
  for (let at = 0; at < length; at++) {
    crc ^= window[at] ?? 0;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x80) === 0 ? crc << 1 : ((crc << 1) ^ 0x07) & 0xff;
  }
  return crc;
}
