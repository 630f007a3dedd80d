import { BitWriter } from './bit-writer.ts';
import type { Bitmap } from '../../shared/media/png.ts';
import {
  acChroma,
  acLuma,
  chromaSteps,
  dcChroma,
  dcLuma,
  lumaSteps,
  zigzag,
  type HuffmanTable,
} from './jpeg-tables.ts';
import { yieldPeriodically } from '../../shared/jobs/yield-periodically.ts';

/** The one-dimensional cosine transform, as a table. Source: ITU T.81, A.3.3. */
const cosines = Float64Array.from({ length: 64 }, (_, index) => {
  const [u, x] = [index >> 3, index & 7];
  return (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

/** Buffers that are reused between blocks: no step of a block yields. */
const block = new Float64Array(64);
const rows = new Float64Array(64);

interface Component {
  readonly steps: readonly number[];
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
  /** Weights of red, green and blue, and the offset. Source: JFIF 1.02, conversion. */
  readonly weights: readonly [number, number, number, number];
}

/**
 * A baseline JPEG without subsampling. Transparent pixels are blended with white. Source: ITU T.81, Annexes A, B, F and
 * K.
 * @param quality 1 to 100
 */
export async function encodeJpeg(bitmap: Bitmap, quality: number): Promise<Buffer> {
  const { width, height } = bitmap;
  const turn = yieldPeriodically();
  const scale = (steps: readonly number[]): number[] => scaledSteps(steps, quality);
  const [luma, chroma] = [scale(lumaSteps), scale(chromaSteps)];
  const components: readonly Component[] = [
    { steps: luma, dc: dcLuma, ac: acLuma, weights: [0.299, 0.587, 0.114, -128] },
    { steps: chroma, dc: dcChroma, ac: acChroma, weights: [-0.168_736, -0.331_264, 0.5, 0] },
    { steps: chroma, dc: dcChroma, ac: acChroma, weights: [0.5, -0.418_688, -0.081_312, 0] },
  ];
  const bits = new BitWriter(true);
  const before = [0, 0, 0];
  for (let top = 0; top < height; top += 8) {
    await turn();
    for (let left = 0; left < width; left += 8)
      for (const [index, component] of components.entries()) {
        sampleBlock(bitmap, left, top, component.weights);
        transformBlock();
        before[index] = writeBlock(bits, component, before[index] ?? 0);
      }
  }
  return Buffer.concat([heading(width, height, luma, chroma), bits.end(), Buffer.from([0xff, 0xd9])]);
}

function sampleBlock(
  { width, height, pixels }: Bitmap,
  left: number,
  top: number,
  [red, green, blue, plus]: Component['weights'],
): void {
  for (let y = 0; y < 8; y++)
    for (let x = 0; x < 8; x++) {
      const at = (Math.min(height - 1, top + y) * width + Math.min(width - 1, left + x)) * 4;
      const opacity = (pixels[at + 3] ?? 0) / 255;
      const shown = red * (pixels[at] ?? 0) + green * (pixels[at + 1] ?? 0) + blue * (pixels[at + 2] ?? 0);
      block[y * 8 + x] = shown * opacity + (red + green + blue) * 255 * (1 - opacity) + plus;
    }
}

function transformBlock(): void {
  for (let y = 0; y < 8; y++)
    for (let u = 0; u < 8; u++) {
      let sum = 0;
      for (let x = 0; x < 8; x++) sum += (block[y * 8 + x] ?? 0) * (cosines[u * 8 + x] ?? 0);
      rows[y * 8 + u] = sum;
    }
  for (let u = 0; u < 8; u++)
    for (let v = 0; v < 8; v++) {
      let sum = 0;
      for (let y = 0; y < 8; y++) sum += (rows[y * 8 + u] ?? 0) * (cosines[v * 8 + y] ?? 0);
      block[v * 8 + u] = sum;
    }
}

/** @returns the block's DC value, which predicts that of the next block */
function writeBlock(bits: BitWriter, { steps, dc, ac }: Component, before: number): number {
  const first = quantized(0, steps);
  writeValue(bits, dc, 0, first - before);
  let zeros = 0;
  for (let index = 1; index < 64; index++) {
    const value = quantized(index, steps);
    if (value === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) writeSymbol(bits, ac, 0xf0);
    writeValue(bits, ac, zeros, value);
    zeros = 0;
  }
  if (zeros > 0) writeSymbol(bits, ac, 0);
  return first;
}

function quantized(index: number, steps: readonly number[]): number {
  const place = zigzag[index] ?? 0;
  return Math.round((block[place] ?? 0) / (steps[place] ?? 1));
}

/** The preceding zeros and the value's bit length, as one symbol; then its bits. Source: ITU T.81, F.1.2. */
function writeValue(bits: BitWriter, table: HuffmanTable, zeros: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  writeSymbol(bits, table, (zeros << 4) | size);
  if (size > 0) bits.write(value < 0 ? value + (1 << size) - 1 : value, size);
}

function writeSymbol(bits: BitWriter, { words }: HuffmanTable, symbol: number): void {
  const [word, length] = words.get(symbol) ?? [0, 0];
  bits.write(word, length);
}

/** The quality scale of the Independent JPEG Group. */
function scaledSteps(steps: readonly number[], quality: number): number[] {
  const percent = quality < 50 ? 5_000 / Math.max(1, quality) : 200 - 2 * Math.min(100, quality);
  return steps.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

function heading(width: number, height: number, luma: readonly number[], chroma: readonly number[]): Buffer {
  const frame = [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0', 'latin1'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...zigzag.map((place) => luma[place] ?? 1), 1, ...zigzag.map((place) => chroma[place] ?? 1)]),
    segment(0xc0, frame),
    ...[dcLuma, acLuma, dcChroma, acChroma].map((table, index) =>
      segment(0xc4, [[0x00, 0x10, 0x01, 0x11][index] ?? 0, ...table.counts, ...table.symbols]),
    ),
    segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]),
  ]);
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content]);
}
