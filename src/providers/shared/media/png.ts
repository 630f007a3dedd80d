import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { yieldPeriodically } from '../jobs/yield-periodically.ts';

const packed = promisify(deflate);
const unpacked = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(inflate);

/** Pixels in rows from the top, each red, green, blue and opacity. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Colour types. */
export const RGB = 2;
const [INDEXED, RGBA] = [3, 6];
/** Filters each row by the difference from the row above: gradients become nearly empty. */
const UP = 2;

/** Source: PNG, third edition, 5, 9 and 11. */
export async function encodePng({ width, height, pixels }: Bitmap): Promise<Buffer> {
  const turn = yieldPeriodically();
  const stride = width * 4;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    await turn();
    const [row, source] = [y * (stride + 1), y * stride];
    rows[row] = UP;
    for (let x = 0; x < stride; x++)
      rows[row + 1 + x] = (pixels[source + x] ?? 0) - (y === 0 ? 0 : (pixels[source + x - stride] ?? 0));
  }
  return assemblePng({ width, height, colours: RGBA, packed: await packed(rows) });
}

/** @param image its `packed` contains its deflated rows, each after its filter byte, with 8 bits per sample */
export function assemblePng(image: {
  readonly width: number;
  readonly height: number;
  readonly colours: typeof RGB | typeof RGBA;
  readonly packed: Buffer;
}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([8, image.colours, 0, 0, 0], 8);
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', image.packed), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
  return Buffer.concat([head, data, sum]);
}

/** Bytes per pixel by PNG's colour types, at 8 bits per sample. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const MAX_PIXELS = 4_096 * 4_096;

/** Null for anything but a PNG with 8 bits per sample, without interlacing. Source: PNG, third edition, 9 and 11. */
export async function decodePng(bytes: Buffer): Promise<Bitmap | null> {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(SIGNATURE)) return null;
  const [width, height, depth, type, interlaced] = [
    bytes.readUInt32BE(16),
    bytes.readUInt32BE(20),
    bytes[24],
    bytes[25] ?? 0,
    bytes[28],
  ];
  const size = samples[type];
  if (size === undefined || depth !== 8 || interlaced !== 0 || width * height > MAX_PIXELS) return null;
  const data: Buffer[] = [];
  let palette: Buffer = Buffer.alloc(0);
  let alphas: Buffer = Buffer.alloc(0);
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === 'IDAT') data.push(content);
    if (name === 'PLTE') palette = content;
    if (name === 'tRNS') alphas = content;
    at += 12 + length;
  }
  const rows = await unfiltered(Buffer.concat(data), width * size, height, size);
  if (rows === null) return null;
  const pixels = Buffer.alloc(width * height * 4);
  const isIndexed = type === INDEXED;
  const colours = isIndexed ? palette : rows;
  const [green, blue] = isIndexed || size > 2 ? [1, 2] : [0, 0];
  const turn = yieldPeriodically();
  for (let y = 0; y < height; y++) {
    await turn();
    for (let x = 0; x < width; x++) {
      const [at, to] = [(y * width + x) * size, (y * width + x) * 4];
      const index = rows[at] ?? 0;
      const from = isIndexed ? index * 3 : at;
      pixels[to] = colours[from] ?? 0;
      pixels[to + 1] = colours[from + green] ?? 0;
      pixels[to + 2] = colours[from + blue] ?? 0;
      if (isIndexed) pixels[to + 3] = alphas[index] ?? 255;
      else pixels[to + 3] = size % 2 === 0 ? (rows[at + size - 1] ?? 0) : 255;
    }
  }
  return { width, height, pixels };
}

async function unfiltered(content: Buffer, stride: number, height: number, size: number): Promise<Buffer | null> {
  const turn = yieldPeriodically();
  let raw: Buffer;
  try {
    raw = await unpacked(content, { maxOutputLength: (stride + 1) * height });
  } catch {
    return null;
  }
  if (raw.length < (stride + 1) * height) return null;
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    await turn();
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < size ? 0 : (out[at - size] ?? 0);
      const up = y === 0 ? 0 : (out[at - stride] ?? 0);
      const corner = x < size || y === 0 ? 0 : (out[at - stride - size] ?? 0);
      const filtered = raw[y * (stride + 1) + 1 + x] ?? 0;
      out[at] = filtered + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default:
      return 0;
  }
}
