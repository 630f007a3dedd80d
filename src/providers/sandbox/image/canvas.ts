import type { Bitmap } from '../../shared/media/png.ts';
import { SeededRandom } from '../text/seeded-random.ts';
import { drawText } from './lettering.ts';
import { yieldPeriodically } from '../../shared/jobs/yield-periodically.ts';

type Colour = readonly [red: number, green: number, blue: number];

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** The same text gives the same image. */
  readonly seed: string;
  readonly transparent: boolean;
}

const DISCS = 7;

/** A gradient with a few discs, and a word that identifies the sandbox. */
export async function drawImage({ width, height, seed, transparent }: Drawing): Promise<Bitmap> {
  const random = new SeededRandom(seed);
  const bitmap = { width, height, pixels: Buffer.alloc(width * height * 4) };
  const [from, to] = [colour(random), colour(random)];
  const across = random.next();
  if (!transparent) await fillGradient(bitmap, from, to, across);
  const extent = Math.min(width, height);
  for (let disc = 0; disc < DISCS; disc++) {
    const radius = extent * (0.06 + 0.2 * random.next());
    fillDisc(bitmap, random.next() * width, random.next() * height, radius, colour(random));
  }
  drawText(bitmap, 'SANDBOX', Math.max(1, Math.floor(extent / 80)));
  return bitmap;
}

/** Like `replacement`, but changed only where the mask is transparent; blended by half everywhere if there is none. */
export async function blend(original: Bitmap, replacement: Bitmap, changes: (at: number) => boolean): Promise<Bitmap> {
  const { width, height } = original;
  const pixels = Buffer.from(original.pixels);
  await eachRow(height, (y) => {
    for (let at = y * width * 4; at < (y + 1) * width * 4; at += 4)
      if (changes(at)) copyPixel(replacement.pixels, at, pixels, at);
  });
  return { ...original, pixels };
}

/** A coarser version, as a partial image of a stream: the lower the progress, the coarser. */
export async function unfinished({ width, height, pixels }: Bitmap, block: number): Promise<Bitmap> {
  const coarse = Buffer.alloc(pixels.length);
  await eachRow(height, (y) => {
    const row = (y - (y % block)) * width;
    for (let x = 0; x < width; x++) copyPixel(pixels, (row + x - (x % block)) * 4, coarse, (y * width + x) * 4);
  });
  return { width, height, pixels: coarse };
}

/** Scales by the nearest pixel: for a mask or an original of another size than the image. */
export async function scaled(bitmap: Bitmap, width: number, height: number): Promise<Bitmap> {
  if (bitmap.width === width && bitmap.height === height) return bitmap;
  const pixels = Buffer.alloc(width * height * 4);
  await eachRow(height, (y) => {
    const row = Math.floor((y * bitmap.height) / height) * bitmap.width;
    for (let x = 0; x < width; x++)
      copyPixel(bitmap.pixels, (row + Math.floor((x * bitmap.width) / width)) * 4, pixels, (y * width + x) * 4);
  });
  return { width, height, pixels };
}

/** Yields to the event loop between rows. */
async function eachRow(height: number, draw: (y: number) => void): Promise<void> {
  const turn = yieldPeriodically();
  for (let y = 0; y < height; y++) {
    await turn();
    draw(y);
  }
}

function copyPixel(source: Buffer, from: number, target: Buffer, to: number): void {
  for (let part = 0; part < 4; part++) target[to + part] = source[from + part] ?? 0;
}

function colour(random: SeededRandom): Colour {
  return [random.below(256), random.below(256), random.below(256)];
}

async function fillGradient(
  { width, height, pixels }: Bitmap,
  from: Colour,
  to: Colour,
  across: number,
): Promise<void> {
  await eachRow(height, (y) => {
    let at = y * width * 4;
    for (let x = 0; x < width; x++, at += 4) {
      const share = (across * x) / width + ((1 - across) * y) / height;
      pixels[at] = from[0] + (to[0] - from[0]) * share;
      pixels[at + 1] = from[1] + (to[1] - from[1]) * share;
      pixels[at + 2] = from[2] + (to[2] - from[2]) * share;
      pixels[at + 3] = 255;
    }
  });
}

function fillDisc({ width, height, pixels }: Bitmap, x: number, y: number, radius: number, paint: Colour): void {
  const [top, bottom] = [Math.max(0, Math.floor(y - radius)), Math.min(height, Math.ceil(y + radius))];
  for (let row = top; row < bottom; row++) {
    const half = Math.sqrt(Math.max(0, radius * radius - (row - y) * (row - y)));
    const [left, right] = [Math.max(0, Math.floor(x - half)), Math.min(width, Math.ceil(x + half))];
    for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4) {
      pixels[at] = paint[0];
      pixels[at + 1] = paint[1];
      pixels[at + 2] = paint[2];
      pixels[at + 3] = 255;
    }
  }
}
