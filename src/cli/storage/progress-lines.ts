import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { MigrationProgress, MigrationSize } from '../../storage/blobs/blob-migration.ts';

const INTERVAL_MS = 2_000;

/** Shows progress from time to time, as one line where the output is a terminal. */
export class ProgressLines {
  total: MigrationSize = { blobs: 0, bytes: 0 };
  readonly #clock: Pick<Clock, 'now'>;
  #shownAt: number;

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock;
    this.#shownAt = clock.now();
  }

  show({ moved, movedBytes, failed }: MigrationProgress): void {
    const now = this.#clock.now();
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    const { blobs, bytes } = this.total;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    const text = `${moved} of ${describeFiles(blobs, bytes)} moved (${megabytes(movedBytes)})${failures}`;
    process.stderr.write(process.stderr.isTTY ? `\u001b[K${text}\r` : `${text}\n`);
  }
}

export function describeFiles(count: number, bytes?: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'}${bytes === undefined ? '' : ` (${megabytes(bytes)})`}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
