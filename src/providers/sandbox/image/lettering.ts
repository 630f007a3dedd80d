import type { Bitmap } from '../../shared/media/png.ts';

/** Five dots wide, seven high: the rows from the top, each five bits. */
const glyphs: Readonly<Record<string, readonly number[]>> = {
  S: [0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e],
  A: [0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11],
  N: [0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11],
  D: [0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e],
  B: [0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e],
  O: [0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e],
  X: [0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11],
};

const COLUMNS = 6;
const ROWS = 7;

/** Writes in the lower left corner, white on black. `dot`: pixels per dot. Text that does not fit is omitted. */
export function drawText(bitmap: Bitmap, text: string, dot: number): void {
  const { width, height } = bitmap;
  const top = height - (ROWS + 1) * dot;
  const end = (COLUMNS * text.length + 1) * dot;
  for (let y = Math.max(0, top - dot); y < height; y++)
    for (let x = 0; x < Math.min(width, end); x++) {
      const [column, row] = [Math.floor(x / dot) - 1, Math.floor((y - top) / dot)];
      const glyph = glyphs[text.charAt(Math.floor(column / COLUMNS))];
      const bits = column < 0 || row < 0 ? 0 : (glyph?.[row] ?? 0);
      const lit = ((bits << 1) >> (COLUMNS - 1 - (((column % COLUMNS) + COLUMNS) % COLUMNS))) & 1;
      bitmap.pixels.fill(lit === 1 ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 3);
      bitmap.pixels[(y * width + x) * 4 + 3] = 255;
    }
}
