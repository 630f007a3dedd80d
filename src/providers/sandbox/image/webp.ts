import { BitWriter } from './bit-writer.ts';
import type { Bitmap } from '../../shared/media/png.ts';
import { yieldPeriodically } from '../../shared/jobs/yield-periodically.ts';

type Turn = ReturnType<typeof yieldPeriodically>;

const TURN_PIXELS = 4_096;
const SUBTRACT_GREEN = 2;
const PREDICTOR = 0;
/** The maximum length of a code, and of a code for code lengths. */
const MAX_CODE_LENGTH = 15;
const MAX_LENGTH = 7;
/** The order in which the lengths of the code length code are written. */
const LENGTHS_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const GREEN_SYMBOLS = 256 + 24;
const DISTANCES = 40;
/** One prediction block is 2^9 pixels wide: the whole image uses one predictor. */
const BLOCK_BITS = 9;
/** The predictor: each pixel as its difference from its left neighbour. */
const FROM_LEFT = 1;

/**
 * A lossless WebP: two transforms and Huffman codes, without back references. Source: RFC 9649, 3 (VP8L) and 2
 * (container).
 */
export async function encodeWebp(bitmap: Bitmap): Promise<Buffer> {
  const { width, height } = bitmap;
  const turn = yieldPeriodically();
  const bits = new BitWriter(false);
  bits.write(0x2f, 8);
  bits.write(width - 1, 14);
  bits.write(height - 1, 14);
  bits.write(1, 1);
  bits.write(0, 3);
  writePredictor(bits);
  bits.write(1, 1);
  bits.write(SUBTRACT_GREEN, 2);
  bits.write(0, 1);
  // No colour cache, and one group of codes for all pixels.
  bits.write(0, 1);
  bits.write(0, 1);
  await writePixels(bits, await residuals(bitmap, turn), turn);
  const data = bits.end();
  const padded = data.length + (data.length % 2);
  const head = Buffer.alloc(20);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(12 + padded, 4);
  head.write('WEBPVP8L', 8, 'latin1');
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data, Buffer.alloc(padded - data.length)]);
}

/** The predictor image, which has one colour: its codes have one symbol and need no bits. */
function writePredictor(bits: BitWriter): void {
  bits.write(1, 1);
  bits.write(PREDICTOR, 2);
  bits.write(BLOCK_BITS - 2, 3);
  bits.write(0, 1);
  for (const symbol of [FROM_LEFT, 0, 0, 0, 0]) writeOneSymbol(bits, symbol);
}

/**
 * Four bytes per pixel: the residuals of green, red, blue and opacity, after subtracting green and the left neighbour.
 */
async function residuals({ width, height, pixels }: Bitmap, turn: Turn): Promise<Buffer> {
  const left = Buffer.alloc(pixels.length);
  for (let y = 0, at = 0; y < height; y++) {
    await turn();
    for (let x = 0; x < width; x++, at += 4) {
      // The first pixel is predicted as opaque black, the first of a row by the one above, the others by their left
      // neighbour.
      const from = x > 0 ? at - 4 : at - width * 4;
      for (let part = 0; part < 4; part++)
        left[at + part] = shifted(pixels, at, part) - (at > 0 ? shifted(pixels, from, part) : part === 3 ? 255 : 0);
    }
  }
  return left;
}

/** Green, red minus green, blue minus green, opacity. */
function shifted(pixels: Buffer, at: number, part: number): number {
  const green = pixels[at + 1] ?? 0;
  if (part === 0) return green;
  return part === 3 ? (pixels[at + 3] ?? 0) : (pixels[part === 1 ? at : at + 2] ?? 0) - green;
}

async function writePixels(bits: BitWriter, values: Buffer, turn: Turn): Promise<void> {
  const codes = [0, 1, 2, 3].map((part) => {
    const counts = Array.from<number>({ length: part === 0 ? GREEN_SYMBOLS : 256 }).fill(0);
    for (let at = part; at < values.length; at += 4) counts[values[at] ?? 0] = (counts[values[at] ?? 0] ?? 0) + 1;
    return writeCode(bits, counts);
  });
  writeCode(bits, Array.from<number>({ length: DISTANCES }).fill(0));
  for (let at = 0; at < values.length; at++) {
    if (at % TURN_PIXELS === 0) await turn();
    const { words, lengths } = codes[at % 4] ?? { words: [], lengths: [] };
    const symbol = values[at] ?? 0;
    bits.write(words[symbol] ?? 0, lengths[symbol] ?? 0);
  }
}

interface Code {
  /** Lowest bit first. */
  readonly words: readonly number[];
  readonly lengths: readonly number[];
}

function writeCode(bits: BitWriter, counts: readonly number[]): Code {
  const used = counts.flatMap((count, symbol) => (count > 0 ? [symbol] : []));
  const [only = 0] = used;
  if (used.length <= 1) {
    writeOneSymbol(bits, only);
    return { words: [], lengths: [] };
  }
  const lengths = codeLengths(counts, MAX_CODE_LENGTH);
  const kinds = Array.from<number>({ length: 19 }).fill(0);
  for (const length of lengths) kinds[length] = (kinds[length] ?? 0) + 1;
  const [single, ...others] = kinds.flatMap((count, length) => (count > 0 ? [length] : []));
  const ofLengths = codeLengths(kinds, MAX_LENGTH);
  // A code with one symbol is written with length 1; its symbol needs no bits.
  if (others.length === 0 && single !== undefined) ofLengths[single] = 1;
  bits.write(0, 1);
  bits.write(LENGTHS_ORDER.length - 4, 4);
  for (const symbol of LENGTHS_ORDER) bits.write(ofLengths[symbol] ?? 0, 3);
  // All lengths are written.
  bits.write(0, 1);
  const words = others.length === 0 ? [] : canonical(ofLengths);
  for (const length of lengths) if (others.length > 0) bits.write(words[length] ?? 0, ofLengths[length] ?? 0);
  return { words: canonical(lengths), lengths };
}

function writeOneSymbol(bits: BitWriter, symbol: number): void {
  bits.write(1, 1);
  bits.write(0, 1);
  bits.write(symbol > 1 ? 1 : 0, 1);
  bits.write(symbol, symbol > 1 ? 8 : 1);
}

interface Node {
  readonly count: number;
  readonly symbols: readonly number[];
}

/** Huffman code lengths; if one exceeds the limit, the frequencies of rare symbols are increased. */
function codeLengths(counts: readonly number[], maxLength: number): number[] {
  for (let least = 1; ; least *= 2) {
    const lengths = counts.map(() => 0);
    let nodes: Node[] = counts.flatMap((count, symbol) =>
      count > 0 ? [{ count: Math.max(count, least), symbols: [symbol] }] : [],
    );
    while (nodes.length > 1) {
      const [first, second, ...rest] = nodes.sort((a, b) => a.count - b.count);
      if (first === undefined || second === undefined) break;
      const symbols = [...first.symbols, ...second.symbols];
      for (const symbol of symbols) lengths[symbol] = (lengths[symbol] ?? 0) + 1;
      nodes = [...rest, { count: first.count + second.count, symbols }];
    }
    if (lengths.every((length) => length <= maxLength)) return lengths;
  }
}

/** Canonical codes, by length and then by symbol; reversed, as the first bit is written first. */
function canonical(lengths: readonly number[]): number[] {
  const words = lengths.map(() => 0);
  let next = 0;
  for (let length = 1; length <= MAX_CODE_LENGTH; length++, next <<= 1)
    for (const [symbol, its] of lengths.entries()) if (its === length) words[symbol] = reversed(next++, length);
  return words;
}

function reversed(word: number, length: number): number {
  let turned = 0;
  for (let bit = 0; bit < length; bit++) turned |= ((word >> bit) & 1) << (length - 1 - bit);
  return turned;
}
