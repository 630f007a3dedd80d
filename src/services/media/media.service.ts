import { systemClock, type Clock } from '../../calendar/clock.ts';
import type {
  FetchedMedia,
  MediaSource,
  MediaStore,
  NewMedia,
  PublishedMedia,
} from '../../gateway/media/media-store.ts';
import type { Readable } from 'node:stream';
import type { MasterKeySource } from '../../secrets/master-keys.ts';
import { MediaLinks } from './media-links.ts';

const HOUR_MS = 3_600_000;
const MAX_STORED_BYTES = 512 * 1024 * 1024;

/** Storage of the files. */
export interface MediaStorage {
  put(
    content: Uint8Array | AsyncIterable<Uint8Array>,
    meta: {
      readonly accountId: string | null;
      readonly contentType: string;
      readonly expiresAt: Date | null;
      readonly sizeLimit: number;
    },
  ): Promise<{ readonly id: string }>;
  /**
   * Not restricted to an account, because the link was verified. Null if the file does not exist or has expired.
   * @param part the entire file where absent
   */
  getUnscoped(id: string, part?: PartOf): Promise<OpenMedia | null>;
}

/** Selects a byte range for a file size, both ends inclusive; null for none, which yields an empty one. */
export type PartOf = (size: number) => { readonly first: number; readonly last: number } | null;

export interface OpenMedia {
  readonly blob: { readonly contentType: string; readonly size: number };
  /** Both ends inclusive; in an empty range the last is before the first. */
  readonly first: number;
  readonly last: number;
  readonly stream: Readable;
}

export type FetchMedia = (source: MediaSource, url: string, signal: AbortSignal) => Promise<FetchedMedia>;

/** Stores media and serves them by signed links. */
export class MediaService implements MediaStore {
  readonly #storage: MediaStorage;
  readonly #links: MediaLinks;
  readonly #clock: Clock;
  readonly fetch: FetchMedia;

  constructor(shelf: MediaStorage, masterKeys: MasterKeySource, fetch: FetchMedia, clock: Clock = systemClock) {
    this.#storage = shelf;
    this.#links = new MediaLinks(masterKeys);
    this.fetch = fetch;
    this.#clock = clock;
  }

  async publish(content: Uint8Array | AsyncIterable<Uint8Array>, media: NewMedia): Promise<PublishedMedia> {
    const { accountId, contentType, origin, lifetimeMs = HOUR_MS } = media;
    const expiresAt = new Date(this.#clock.now() + lifetimeMs);
    const { id } = await this.#storage.put(content, { accountId, contentType, expiresAt, sizeLimit: MAX_STORED_BYTES });
    return { id, url: this.link(id, origin, expiresAt), expiresAt };
  }

  link(id: string, origin: string, expiresAt: Date): string {
    return this.#links.make(origin, id, expiresAt);
  }

  /** @throws SluiceError media_link_invalid | media_link_expired */
  checkLink(id: string, expires: unknown, signature: unknown): Date {
    return this.#links.check(id, expires, signature, new Date(this.#clock.now()));
  }

  /** Remaining lifetime of a link in full seconds. */
  secondsUntil(expiresAt: Date): number {
    return Math.max(0, Math.floor((expiresAt.getTime() - this.#clock.now()) / 1_000));
  }

  /** Null if it was deleted. @param part the entire file where absent */
  open(id: string, part?: PartOf): Promise<OpenMedia | null> {
    return this.#storage.getUnscoped(id, part);
  }
}
