import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UploadSpace } from './upload-space.ts';

/** Temporary files of uploads. Private to one process and its user. */
export class UploadFolder {
  readonly path: string;
  /** Limits of all uploads. */
  readonly space: UploadSpace;

  /**
   * Deletes files of a killed process.
   * @param maxBytes of all uploads together
   * @param onBytesChange called after each change of `bytes`
   */
  constructor(path: string, maxBytes: number, onBytesChange?: () => void) {
    this.path = path;
    this.space = new UploadSpace(maxBytes, onBytesChange);
    this.close();
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** An unused path. */
  newPath(): string {
    return join(this.path, randomUUID());
  }

  /** Deletes the folder and its content. */
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
