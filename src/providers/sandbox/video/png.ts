import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { assemblePng, RGB } from '../../shared/media/png.ts';
import { yieldPeriodically } from '../../shared/jobs/yield-periodically.ts';
import { TILE, type Colour, type TiledPicture } from './h264.ts';

const packed = promisify(deflate);

/** Several tiled pictures in a grid, as one PNG. */
export async function pngOf(pictures: readonly TiledPicture[], across: number, tile: number): Promise<Buffer> {
  const turn = yieldPeriodically();
  const [first] = pictures;
  if (first === undefined) throw new Error('a sheet has at least one picture');
  const down = Math.ceil(pictures.length / across);
  const width = first.columns * tile * across;
  const rows: Buffer[] = [];
  for (let row = 0; row < down * first.rows; row++) {
    await turn();
    const line = Buffer.alloc(1 + width * 3);
    const pixels = pictures.slice(Math.floor(row / first.rows) * across, (Math.floor(row / first.rows) + 1) * across);
    pixels.forEach(({ columns, tiles }, at) => {
      for (let column = 0; column < columns; column++) {
        const colour = tiles[(row % first.rows) * columns + column];
        if (colour !== undefined)
          line.fill(rgb(colour), 1 + (at * columns + column) * tile * 3, 1 + (at * columns + column + 1) * tile * 3);
      }
    });
    for (let repeat = 0; repeat < tile; repeat++) rows.push(line);
  }
  return png(width, rows);
}

/** One picture at its own size. */
export async function pngCropped(picture: TiledPicture, width: number, height: number): Promise<Buffer> {
  const turn = yieldPeriodically();
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
    await turn();
    const line = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x += TILE) {
      const colour = picture.tiles[Math.floor(y / TILE) * picture.columns + x / TILE];
      if (colour !== undefined) line.fill(rgb(colour), 1 + x * 3, 1 + Math.min(width, x + TILE) * 3);
    }
    rows.push(line);
  }
  return png(width, rows);
}

/** @param rows each with its filter's byte, which is 0 */
async function png(width: number, rows: readonly Buffer[]): Promise<Buffer> {
  return assemblePng({ width, height: rows.length, colours: RGB, packed: await packed(Buffer.concat(rows)) });
}

/** Source: ITU-R BT.601. */
function rgb({ y, cb, cr }: Colour): Buffer {
  const luma = 1.164 * (y - 16);
  const [blue, red] = [cb - 128, cr - 128];
  return Buffer.from(
    [luma + 1.596 * red, luma - 0.392 * blue - 0.813 * red, luma + 2.017 * blue].map((value) =>
      Math.min(255, Math.max(0, Math.round(value))),
    ),
  );
}
