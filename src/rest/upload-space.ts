import { SluiceError, toSluiceError } from '../errors/index.ts';
import type { KeyRecord } from '../gateway/key-directory.ts';

/** The key whose upload it is. */
export interface Uploader extends Pick<KeyRecord, 'id' | 'accountId'> {
  readonly limits: Pick<KeyRecord['limits'], 'concurrency'>;
}

/** An upload that has just ended makes room. */
const WAIT_MS = 1_000;
const FULL_WAIT_MS = 5_000;

/**
 * How much is uploaded at once. An upload counts from its first byte until its files are gone, since they stay while its
 * request runs: a key has as many as it may have requests under way, and all together have so many bytes.
 */
export class UploadSpace {
  readonly #mostBytes: number;
  readonly #underWay = new Map<string, number>();
  readonly #onBytesChange: (() => void) | undefined;
  #bytes = 0;

  constructor(mostBytes: number, onBytesChange?: () => void) {
    this.#mostBytes = mostBytes;
    this.#onBytesChange = onBytesChange;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Before anything of it is read.
   * @param announced its bytes; 0 where they are not told
   * @throws SluiceError rate_limit_concurrency | uploads_full
   */
  begin({ id, accountId, limits }: Uploader, announced: number): UploadTicket {
    const used = this.#underWay.get(id) ?? 0;
    if (used >= limits.concurrency) {
      const values = { model: 'uploads', account: accountId, limit: limits.concurrency, used, wait: '1s' };
      throw new SluiceError('rate_limit_concurrency', { retryAfterMs: WAIT_MS, values });
    }
    // One that says how long it is learns at once that there is no room; what has not come yet takes none.
    if (this.#bytes + announced > this.#mostBytes) throw full();
    this.#underWay.set(id, used + 1);
    return new UploadTicket(
      (bytes) => this.#take(bytes),
      () => this.#leave(id),
    );
  }

  #take(bytes: number): void {
    if (this.#bytes + bytes > this.#mostBytes) throw full();
    this.#bytes += bytes;
    this.#onBytesChange?.();
  }

  #leave(id: string): void {
    const left = (this.#underWay.get(id) ?? 0) - 1;
    if (left > 0) this.#underWay.set(id, left);
    else this.#underWay.delete(id);
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

  /** Its request is over, and its key may begin another. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#leave();
  }

  /** Its bytes are gone. */
  free(): void {
    this.#takeMore(-this.#bytes);
    this.#bytes = 0;
  }
}

/** A disk that is full takes no upload now, as a space that is; anything else of a file is our own fault. */
export function writeFault(error: Error): SluiceError {
  const isFull = 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull ? full(error) : toSluiceError(error);
}

function full(cause?: Error): SluiceError {
  return new SluiceError('uploads_full', { retryAfterMs: FULL_WAIT_MS, cause });
}
