import { open, type FileHandle } from 'node:fs/promises';

const WINDOW_BYTES = 64 * 1024;

/** Reads a file here and there with bounded memory: a window of it is held, and moved where it is needed. */
export class FileWindow {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(WINDOW_BYTES);
  #start = 0;
  #length = 0;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path: string): Promise<FileWindow> {
    const handle = await open(path, 'r');
    return new FileWindow(handle, (await handle.stat()).size);
  }

  /** Whether so many bytes can be looked at without moving it. At the end of the file, those that are there suffice. */
  holds(position: number, length: number): boolean {
    return position >= this.#start && Math.min(position + length, this.size) <= this.#start + this.#length;
  }

  /** Moves it to begin at a position. */
  async move(position: number): Promise<void> {
    this.#start = position;
    this.#length = 0;
    while (this.#length < WINDOW_BYTES) {
      const left = WINDOW_BYTES - this.#length;
      const { bytesRead } = await this.#handle.read(this.#buffer, this.#length, left, position + this.#length);
      if (bytesRead === 0) return;
      this.#length += bytesRead;
    }
  }

  /** What it holds from a position on; to be used before it is moved. */
  from(position: number): Buffer {
    return this.#buffer.subarray(Math.max(0, position - this.#start), this.#length);
  }

  /** So many bytes, or those that are there; to be used before it is moved. At most 64 KB. */
  async at(position: number, length: number): Promise<Buffer> {
    if (!this.holds(position, length)) await this.move(position);
    return this.from(position).subarray(0, length);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
