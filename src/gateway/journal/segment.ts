import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';

/**
 * `B` + a BegunRecord in JSON: a request began. `S` + a UsageRecord: it is settled. `C` + members that lines of this segment have
 * in common, by the number in `common`: such a line says two of these numbers instead, in `of_key` and `of_route`.
 */
export type LineKind = 'B' | 'S' | 'C';

const NEWLINE = 0x0a;
const READ_BYTES = 1024 * 1024;

/** One append-only file of the usage journal. */
export class Segment {
  readonly path: string;
  /** Begins written here whose settle has not been written yet, here or in a later segment. */
  openBegins = 0;
  /** How many `CommonMembers` were said here. */
  commonsWritten = 0;
  /** Those in the part that is drained, or being drained, as JSON objects by number. */
  readonly commons = new Map<number, string>();
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

  /** Appends the first `length` bytes, or as much as the disk takes; `size` grows by what was written, also when it throws. */
  append(bytes: Buffer, length: number): void {
    for (let written = 0; written < length;) {
      const count = writeSync(this.#fd, bytes, written, length - written);
      if (count === 0) return;
      written += count;
      this.size += count;
    }
  }

  /**
   * Whole lines from `offset`, as many as `scratch` holds, and in it; one longer line comes in a buffer of its own. Empty at the
   * end, or before an unfinished line.
   */
  readLines(offset: number, scratch: Buffer): Buffer {
    for (let chunk = scratch; ; chunk = Buffer.allocUnsafe(chunk.length * 2)) {
      const count = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.size - offset), offset);
      const end = chunk.subarray(0, count).lastIndexOf(NEWLINE) + 1;
      if (end > 0 || count < chunk.length) return chunk.subarray(0, end);
    }
  }

  /** Cuts the file behind its last whole line. */
  dropUnfinishedLine(): void {
    const scratch = Buffer.allocUnsafe(READ_BYTES);
    let end = 0;
    for (let lines = this.readLines(0, scratch); lines.length > 0; lines = this.readLines(end, scratch))
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
