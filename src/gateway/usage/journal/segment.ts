import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, unlinkSync, writeSync } from 'node:fs';

/**
 * `B` + a BegunRecord in JSON: a request began. `S` + a UsageRecord: it is settled. `W` + its event id: it is not settled,
 * because it was refused. `C` + members shared by lines of
 * this segment, under the number in `common`: such lines contain two of these numbers, in `of_key` and `of_route`.
 */
export type LineKind = 'B' | 'S' | 'W' | 'C';

const NEWLINE = 0x0a;
const READ_BYTES = 1024 * 1024;

/** One append-only file of the usage journal. */
export class Segment {
  readonly path: string;
  /** Begin records of this segment whose settle is not written yet, in any segment. */
  openBegins = 0;
  /** Segments whose begin records are revoked by lines of this one. */
  readonly revokesIn = new Set<Segment>();
  /** Number of `CommonMembers` written to this segment. */
  commonsWritten = 0;
  /** Shared members of the drained part, by number, as JSON objects. */
  readonly commons = new Map<number, string>();
  /** Bytes on disk. */
  size: number;
  /** Bytes whose settle records are stored in the database. */
  drained = 0;
  readonly openedAt: number;
  readonly #fd: number;

  /**
   * @param isNew whether the file must not exist: a process whose folder another one adopted meanwhile does not append to its files
   */
  constructor(path: string, now: number, isNew = false) {
    this.path = path;
    this.#fd = openSync(path, isNew ? 'ax+' : 'a+', 0o600);
    this.size = fstatSync(this.#fd).size;
    this.openedAt = now;
  }

  /**
   * Appends the first `length` bytes, or fewer if the disk is full; `size` grows by the bytes written, also when it
   * throws.
   */
  append(bytes: Buffer, length: number): void {
    for (let written = 0; written < length;) {
      const count = writeSync(this.#fd, bytes, written, length - written);
      if (count === 0) return;
      written += count;
      this.size += count;
    }
  }

  /**
   * Complete lines from `offset`, as many as fit into `scratch`, which contains them; a longer line is returned in a
   * buffer of its own. Empty at the end, or before an incomplete line.
   */
  readLines(offset: number, scratch: Buffer): Buffer {
    for (let chunk = scratch; ; chunk = Buffer.allocUnsafe(chunk.length * 2)) {
      const count = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.size - offset), offset);
      const end = chunk.subarray(0, count).lastIndexOf(NEWLINE) + 1;
      if (end > 0 || count < chunk.length) return chunk.subarray(0, end);
    }
  }

  /** Truncates the file after its last complete line. */
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
    const isOwn = this.#isAtPath();
    this.revokesIn.clear();
    this.close();
    if (isOwn) unlinkSync(this.path);
  }

  /** False once another process adopted the folder and removed the file: a later one at this path is not of this process. */
  #isAtPath(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === fstatSync(this.#fd).ino;
  }
}
