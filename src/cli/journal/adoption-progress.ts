import { systemClock, type Clock } from '../../calendar/clock.ts';

const INTERVAL_MS = 2_000;
const MEGABYTE = 1_000_000;

/** Shows from time to time how much of the journals is stored. */
export class AdoptionProgress {
  readonly #totalBytes: number;
  readonly #clock: Pick<Clock, 'now'>;
  #bytes = 0;
  /** Null before the first part: the lock may have been waited for. */
  #shownAt: number | null = null;

  constructor(totalBytes: number, clock: Pick<Clock, 'now'> = systemClock) {
    this.#totalBytes = totalBytes;
    this.#clock = clock;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    const now = this.#clock.now();
    this.#shownAt ??= now;
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    const text = `${megabytes(this.#bytes)} of ${megabytes(this.#totalBytes)} MB read`;
    process.stderr.write(process.stderr.isTTY ? `\u001b[K${text}\r` : `${text}\n`);
  }
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
