import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UploadSpace } from './upload-space.ts';

/** Where uploads stay while their requests run: one process' own, and for nobody else to read. */
export class UploadFolder {
  readonly path: string;
  /** What its uploads share. */
  readonly space: UploadSpace;

  /**
   * What a killed process left there is removed.
   * @param mostBytes of all uploads together
   * @param onBytesChange is called after each change of the bytes that are held
   */
  constructor(path: string, mostBytes: number, onBytesChange?: () => void) {
    this.path = path;
    this.space = new UploadSpace(mostBytes, onBytesChange);
    this.close();
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** A path that nothing has yet. */
  newPath(): string {
    return join(this.path, randomUUID());
  }

  /** Removes it, with all that is still in it. */
  close(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
