import { crc32, deflateSync } from 'node:zlib';
import { TILE, type Colour, type TiledPicture } from './h264.ts';

/** Several tiled pictures beside and below each other, as one PNG. Source: W3C, PNG (third edition). */
export function pngOf(pictures: readonly TiledPicture[], across: number, tile: number): Buffer {
  const [first] = pictures;
  if (first === undefined) throw new Error('a sheet holds a picture');
  const down = Math.ceil(pictures.length / across);
  const width = first.columns * tile * across;
  const rows: Buffer[] = [];
  for (let row = 0; row < down * first.rows; row++) {
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

/** One picture in its own size. */
export function pngCropped(picture: TiledPicture, width: number, height: number): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y++) {
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
function png(width: number, rows: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
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
