import { createHash } from 'node:crypto';
import { TILE, type Colour, type TiledPicture } from './h264.ts';

/** Three different colours for a prompt, always the same. */
function coloursOf(prompt: string): readonly [ground: Colour, square: Colour, bar: Colour] {
  const digest = createHash('sha256').update(prompt).digest();
  const colour = (at: number, y: number): Colour => ({
    y: y + ((digest[at] ?? 0) % 30),
    cb: 64 + ((digest[at + 1] ?? 0) % 128),
    cr: 64 + ((digest[at + 2] ?? 0) % 128),
  });
  return [colour(0, 50), colour(3, 110), colour(6, 190)];
}

/**
 * A square that circles over a background, and a progress bar below.
 * @returns the picture of a frame
 */
export function picturesOf(
  prompt: string,
  width: number,
  height: number,
  frames: number,
): (frame: number) => TiledPicture {
  const [ground, square, bar] = coloursOf(prompt);
  const columns = Math.ceil(width / TILE);
  const rows = Math.ceil(height / TILE);
  const field = Math.max(1, rows - 1);
  return (frame) => {
    const tiles: Colour[] = Array.from({ length: columns * rows }, () => ground);
    tiles[Math.floor(field / 2) * columns + (frame % columns)] = square;
    const grown = Math.ceil(((frame + 1) / frames) * columns);
    if (rows > 1) tiles.fill(bar, field * columns, field * columns + grown);
    return { columns, rows, tiles };
  };
}
