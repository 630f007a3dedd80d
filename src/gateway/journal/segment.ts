import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';

/** `B` + record: a request began. `S` + record: it is settled. The record is a UsageRecord in JSON; in a `B` line it is what stands if no `S` ever follows. */
export type LineKind = 'B' | 'S';

/** One append-only file of the usage journal. */
export class Segment {
  readonly path: string;
  /** Begins written here whose settle has not been written yet, here or in a later segment. */
  openBegins = 0;
  /** Bytes on disk. */
  size: number;
  /** Bytes whose settle records are stored in the database. */
  drained = 0;
  readonly openedAt: number;
  readonly #fd: number;

  constructor(path: string, now: number) {
    this.path = path;
    this.#fd = openSync(path, 'a+', 0o600);
    this.size = fstatSync(this.#fd).size;
    this.openedAt = now;
  }

  /** Appends as much as the disk takes; `size` grows by what was written, also when it throws. */
  append(bytes: Buffer): void {
    for (let written = 0; written < bytes.length;) {
      const count = writeSync(this.#fd, bytes, written);
      if (count === 0) return;
      written += count;
      this.size += count;
    }
  }

  /** Whole lines from `offset`, at most `limit` bytes unless one line is longer. Empty at the end, or before an unfinished line. */
  readLines(offset: number, limit: number): Buffer {
    for (let length = limit; ; length *= 2) {
      const chunk = Buffer.allocUnsafe(Math.min(length, this.size - offset));
      const count = readSync(this.#fd, chunk, 0, chunk.length, offset);
      const end = chunk.subarray(0, count).lastIndexOf(0x0a) + 1;
      if (end > 0 || count < length) return chunk.subarray(0, end);
    }
  }

  /** Cuts the file behind its last whole line. */
  dropUnfinishedLine(): void {
    let end = 0;
    for (let lines = this.readLines(0, 1024 * 1024); lines.length > 0; lines = this.readLines(end, 1024 * 1024))
      end += lines.length;
    if (end === this.size) return;
    ftruncateSync(this.#fd, end);
    this.size = end;
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    this.close();
    unlinkSync(this.path);
  }
}
