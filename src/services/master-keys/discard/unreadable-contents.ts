import { buffer } from 'node:stream/consumers';
import type { SqlQueries } from '../../../database/sql.ts';
import type { MasterKeys } from '../../../secrets/master-keys.ts';
import type { BlobStore } from '../../../storage/blob-store.ts';
import { ContentSeal, masterKeyVersionOf } from '../../content-log/content-seal.ts';
import type { SealedColumn, SealedValue } from '../sealed-columns.ts';

const FIRST_VERSION = 1;
const LOGGED = 'logged_contents';
/** Contents are read by time: those of many accounts alternate. */
const MAX_OPENED_SEGMENTS = 10_000;

export interface ContentSources {
  readonly database: SqlQueries;
  readonly keys: MasterKeys;
  readonly blobs: Pick<BlobStore, 'get'>;
}

interface SegmentPart {
  readonly segment_id: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Whether keys of contents are readable. They have no tag: where the master key of their version is known, the content is opened.
 * Only contents of version 1 can be under another secret than the known one, because each later version has had a fingerprint from
 * the beginning.
 */
export class UnreadableContents {
  readonly #sources: ContentSources;
  readonly #seal: ContentSeal;
  /** Contents of a segment are of one account and hour, and so under one secret. */
  readonly #openedSegments = new Set<string>();

  constructor(sources: ContentSources) {
    this.#sources = sources;
    this.#seal = new ContentSeal(sources.keys);
  }

  /** @throws where storage is unavailable */
  async isUnreadable(column: SealedColumn, value: SealedValue): Promise<boolean> {
    const version = masterKeyVersionOf(value.value);
    if (this.#sources.keys.find(version) === null) return true;
    if (version !== FIRST_VERSION) return false;
    return column.table === LOGGED ? this.#isLoggedUnreadable(value) : this.#isStoredUnreadable(column, value);
  }

  /** Of a content that is in the row of its key. */
  async #isStoredUnreadable({ table, keys }: SealedColumn, value: SealedValue): Promise<boolean> {
    const where = keys.map(([name, type], at) => `${name} = $${at + 1}::${type}`).join(' and ');
    const [row] = await this.#sources.database.query<{ content: Buffer | null }>(
      `select content from ${table} where ${where}`,
      value.row,
    );
    // Removed meanwhile.
    return row !== undefined && row.content !== null && !this.#opens(row.content, value);
  }

  async #isLoggedUnreadable(value: SealedValue): Promise<boolean> {
    const [part] = await this.#sources.database.query<SegmentPart>(
      `select segment_id, position as first, position + length - 1 as last from logged_contents
       where event_id = $1::uuid and state = 'stored'`,
      value.row,
    );
    if (part === undefined || this.#openedSegments.has(part.segment_id)) return false;
    const { segment_id: segment, first, last } = part;
    const stored = await this.#sources.blobs.get(segment, value.accountId ?? '', { first, last });
    // Removed meanwhile, or in the folder of another instance.
    if (stored === null) return false;
    if (!this.#opens(await buffer(stored.stream), value)) return true;
    if (this.#openedSegments.size >= MAX_OPENED_SEGMENTS) this.#openedSegments.clear();
    this.#openedSegments.add(segment);
    return false;
  }

  #opens(bytes: Buffer, { accountId, boundTo, value: wrappedKey }: SealedValue): boolean {
    return this.#seal.open({ bytes, wrappedKey }, { accountId: accountId ?? '', eventId: boundTo ?? '' }) !== null;
  }
}
