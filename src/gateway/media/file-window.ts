import { open, type FileHandle } from 'node:fs/promises';

const WINDOW_BYTES = 64 * 1024;

/** Random access to a file with bounded memory, through a movable window. */
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

  /** Whether the window contains these bytes, or those up to the end of the file. */
  holds(position: number, length: number): boolean {
    return position >= this.#start && Math.min(position + length, this.size) <= this.#start + this.#length;
  }

  /** Moves the window to a position. */
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

  /** The window's content from a position; valid until it moves. */
  from(position: number): Buffer {
    return this.#buffer.subarray(Math.max(0, position - this.#start), this.#length);
  }

  /** These bytes, or those up to the end of the file; valid until the window moves. At most 64 KB. */
  async at(position: number, length: number): Promise<Buffer> {
    if (!this.holds(position, length)) await this.move(position);
    return this.from(position).subarray(0, length);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
