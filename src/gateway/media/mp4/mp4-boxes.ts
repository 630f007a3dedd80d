import type { FileWindow } from '../file-window.ts';

export const MAX_READ_BYTES = 64 * 1024;

/** From `begin`, behind its header, to `end`. */
export interface Box {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** Reads the boxes of a file and the tables in them. Source: ISO/IEC 14496-12, 4.2. */
export class Mp4Boxes {
  readonly #file: FileWindow;

  constructor(file: FileWindow) {
    this.#file = file;
  }

  /** Visits the boxes in a box, in order. */
  async visit(parent: Box, visitor: (box: Box) => Promise<void>): Promise<void> {
    for (let at = parent.begin; at + 8 <= parent.end;) {
      const head = await this.#file.at(at, 16);
      if (head.length < 8) return;
      const short = head.readUInt32BE(0);
      const name = head.toString('latin1', 4, 8);
      const isLong = short === 1 && head.length === 16;
      const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? parent.end - at : short;
      if (size < (isLong ? 16 : 8)) return;
      // No player reads beyond the parent box.
      const end = Math.min(parent.end, at + size);
      await visitor({ name, begin: at + (isLong ? 16 : 8), end });
      at = end;
    }
  }

  /** The first bytes of a box. */
  async bytes({ begin, end }: Box, maxBytes: number): Promise<Buffer> {
    return Buffer.from(await this.#file.at(begin, Math.min(maxBytes, end - begin)));
  }

  /** Visits the rows of a table that exist. */
  async rows(
    { begin, end }: Box,
    from: number,
    count: number,
    width: number,
    visit: (rows: Buffer, at: number) => void,
  ): Promise<void> {
    if (width === 0) return;
    const last = Math.min(end, begin + from + count * width);
    for (let at = begin + from; at + width <= last;) {
      const rows = await this.#file.at(at, Math.min(last - at, MAX_READ_BYTES));
      const rowBytes = rows.length - (rows.length % width);
      if (rowBytes === 0) return;
      for (let row = 0; row < rowBytes; row += width) visit(rows, row);
      at += rowBytes;
    }
  }
}

/** 0 where it is truncated. */
export function word(bytes: Buffer, at: number): number {
  return at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0;
}
