import type { Clock, Timer } from '../../../calendar/clock.ts';
import type { JournalLog, JournalSegments } from './journal-segments.ts';

const RETRY_MS = 1_000;
/** For the lines of a busy turn. */
const SCRATCH_BYTES = 256 * 1024;
/** UTF-8 bytes per UTF-16 code unit. */
const MAX_UTF8_BYTES_PER_UNIT = 3;

/** Writes lines to the current segment. What cannot be written stays in memory, and is written first once it can. */
export class JournalWriter {
  readonly #segments: JournalSegments;
  readonly #log: JournalLog;
  readonly #clock: Clock;
  readonly #retry: () => void;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #unwritten: Buffer | null = null;
  #failure: Error | null = null;
  #timer: Timer | null = null;

  /** @param retry called a second after a failure: it writes again */
  constructor(segments: JournalSegments, log: JournalLog, clock: Clock, retry: () => void) {
    this.#segments = segments;
    this.#log = log;
    this.#clock = clock;
    this.#retry = retry;
  }

  /** The last error; null while the journal can be written. */
  get failure(): Error | null {
    return this.#failure;
  }

  get hasUnwritten(): boolean {
    return this.#unwritten !== null;
  }

  get unwrittenBytes(): number {
    return this.#unwritten?.length ?? 0;
  }

  /** @param lines may be empty, to write what could not be written */
  write(lines: string): Error | null {
    const unwritten = this.#unwritten;
    if (unwritten === null && lines.length * MAX_UTF8_BYTES_PER_UNIT <= this.#scratch.length)
      return this.#write(this.#scratch, this.#scratch.write(lines));
    const bytes = unwritten === null ? Buffer.from(lines) : Buffer.concat([unwritten, Buffer.from(lines)]);
    return this.#write(bytes, bytes.length);
  }

  close(): void {
    this.#timer?.cancel();
  }

  #write(bytes: Buffer, length: number): Error | null {
    const segment = this.#segments.current;
    const sizeBefore = segment.size;
    let failure: Error | null = null;
    try {
      segment.append(bytes, length);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    const written = segment.size - sizeBefore;
    if (failure === null && written < length) failure = new Error('the disk is full');
    this.#unwritten = failure === null ? null : Buffer.from(bytes.subarray(written, length));
    if (failure) this.#onFailure(failure);
    else {
      if (this.#failure) this.#log.info({}, 'writing the usage journal works again');
      this.#failure = null;
      if (segment.size > this.#segments.rotateAtBytes) this.#segments.startNext();
    }
    return failure;
  }

  #onFailure(error: Error): void {
    if (this.#failure === null)
      this.#log.error(
        { err: error, folder: this.#segments.folder },
        'writing the usage journal failed; requests are rejected until it works',
      );
    this.#failure = error;
    this.#timer ??= this.#clock
      .setTimeout(() => {
        this.#timer = null;
        this.#retry();
      }, RETRY_MS)
      .unref();
  }
}
