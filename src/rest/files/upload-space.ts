import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';

/** The key of an upload. */
export interface Uploader extends Pick<KeyRecord, 'id' | 'accountId'> {
  readonly limits: Pick<KeyRecord['limits'], 'concurrency'>;
}

/** Another upload of the key may end soon. */
const WAIT_MS = 1_000;
const FULL_WAIT_MS = 5_000;

/**
 * Limits concurrent uploads: per key by its concurrency limit, and the total size of all uploads. An upload counts from its first
 * byte until its files are deleted, which is after its request ends.
 */
export class UploadSpace {
  readonly #maxBytes: number;
  readonly #active = new Map<string, number>();
  readonly #onBytesChange: (() => void) | undefined;
  #bytes = 0;

  constructor(maxBytes: number, onBytesChange?: () => void) {
    this.#maxBytes = maxBytes;
    this.#onBytesChange = onBytesChange;
  }

  /** Bytes of current uploads. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Call it before the body is read.
   * @param announced content length in bytes; 0 if unknown
   * @throws SluiceError rate_limit_concurrency | uploads_full
   */
  begin({ id, accountId, limits }: Uploader, announced: number): UploadTicket {
    const used = this.#active.get(id) ?? 0;
    if (used >= limits.concurrency) {
      const values = { model: 'uploads', account: accountId, limit: limits.concurrency, used, wait: '1s' };
      throw new SluiceError('rate_limit_concurrency', { retryAfterMs: WAIT_MS, values });
    }
    // Fails early by the content length, but only received bytes count.
    if (this.#bytes + announced > this.#maxBytes) throw full();
    this.#active.set(id, used + 1);
    return new UploadTicket(
      (bytes) => this.#take(bytes),
      () => this.#leave(id),
    );
  }

  #take(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes) throw full();
    this.#bytes += bytes;
    this.#onBytesChange?.();
  }

  #leave(id: string): void {
    const left = (this.#active.get(id) ?? 0) - 1;
    if (left > 0) this.#active.set(id, left);
    else this.#active.delete(id);
  }
}

/** One upload's share of the space. */
export class UploadTicket {
  readonly #takeMore: (bytes: number) => void;
  readonly #leave: () => void;
  #bytes = 0;
  #left = false;

  constructor(take: (bytes: number) => void, leave: () => void) {
    this.#takeMore = take;
    this.#leave = leave;
  }

  /** @throws SluiceError uploads_full */
  take(bytes: number): void {
    this.#takeMore(bytes);
    this.#bytes += bytes;
  }

  /** Its request has ended, and its key may start another upload. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#leave();
  }

  /** Its files are deleted. */
  free(): void {
    this.#takeMore(-this.#bytes);
    this.#bytes = 0;
  }
}

/** A full disk is `uploads_full`; other file errors are internal. */
export function writeFault(error: Error): SluiceError {
  const isFull = 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull ? full(error) : toSluiceError(error);
}

function full(cause?: Error): SluiceError {
  return new SluiceError('uploads_full', { retryAfterMs: FULL_WAIT_MS, cause });
}
