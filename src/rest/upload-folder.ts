import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where uploads stay while their requests run: one process' own, and for nobody else to read. */
export class UploadFolder {
  readonly path: string;

  /** What a killed process left there is removed. */
  constructor(path: string) {
    this.path = path;
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
