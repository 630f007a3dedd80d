import type { Database } from '../../database/database.ts';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type {
  ContentStore,
  FinishedContent,
  LateContent,
  RejectedContents,
  StoreResult,
} from '../../gateway/content/content-log.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { SEGMENT_TYPE } from '../../storage/blobs/object-key.ts';
import { beganAt } from '../unstored-rows/retention.ts';
import type { ContentSeal } from './content-seal.ts';
import { insertRows, isOutage, type SegmentRows } from './segment-rows.ts';
import { SegmentMemory } from './segment-memory.ts';
import { storeWords, type SearchableText } from './searchable-words.ts';

export interface SegmentStoreDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly seal: ContentSeal;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;
const HOUR_MS = 3_600_000;
/** The first digits of an ID, before its first dash, and how long they stay the same. */
const PREFIX_DIGITS = 8;
const PREFIX_MS = 65_536;
const MAX_CONCURRENT_PUTS = 4;
/** How long the segments of an account may delay those of others: a multiple of what a file takes on a busy disk. */
const MAX_DELAY_MS = 500;

/**
 * Stores content as parts of segments: one blob for each account and hour of a batch, so that a blob has the content of one account
 * and expires with it. One statement stores the rows of all, after their segments, and the next their words.
 */
export class SegmentStore implements ContentStore {
  /** Records of this process that were stored without their words. */
  unsearchableCount = 0;
  readonly #dependencies: SegmentStoreDependencies;
  readonly #memory = new SegmentMemory();

  constructor(dependencies: SegmentStoreDependencies) {
    this.#dependencies = dependencies;
  }

  async store(batch: readonly FinishedContent[]): Promise<StoreResult> {
    const { database } = this.#dependencies;
    const accounts = Map.groupBy(batch, ({ accountId }) => accountId);
    const { rows, failed, late } = await this.#storeFiles([...accounts]);
    const rejected = new Map<string, unknown>();
    try {
      const outage = [...failed.values()].find(isOutage);
      if (outage !== undefined) throw outage;
      await insertRows(database, rows, { failed, rejected });
      const isStored = failed.size + late.size === 0;
      await this.#storeWords(
        isStored ? batch : batch.filter(({ accountId }) => !failed.has(accountId) && !late.has(accountId)),
      );
    } catch (error) {
      // The database is unavailable for all. Late content is followed all the same: the next of its account waits for it.
      if (late.size === 0) throw error;
      for (const accountId of accounts.keys()) if (!late.has(accountId)) failed.set(accountId, error);
    }
    return { failed, rejected, late };
  }

  async #storeFiles(accounts: (readonly [accountId: string, contents: readonly FinishedContent[]])[]) {
    const rows: SegmentRows[] = [];
    const failed = new Map<string, unknown>();
    const late = new Map<string, LateContent>();
    const storeNext = async (): Promise<void> => {
      for (let next = accounts.shift(); next !== undefined; next = accounts.shift()) {
        const [accountId, contents] = next;
        const segments = this.#storeSegments(accountId, contents);
        const stored = await this.#withinDelay(segments).catch((error: unknown) => void failed.set(accountId, error));
        if (stored === 'late') late.set(accountId, this.#lateContent(segments, contents));
        else rows.push(...(stored ?? []));
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_PUTS }, storeNext));
    return { rows, failed, late };
  }

  async #withinDelay<T>(work: Promise<T>): Promise<T | 'late'> {
    const { promise, resolve } = Promise.withResolvers<'late'>();
    const timer = (this.#dependencies.clock ?? systemClock).setTimeout(() => resolve('late'), MAX_DELAY_MS);
    return Promise.race([work, promise]).finally(() => timer.cancel());
  }

  #lateContent(segments: Promise<readonly SegmentRows[]>, contents: readonly FinishedContent[]): LateContent {
    let isAbandoned = false;
    const { database } = this.#dependencies;
    const finish = async (): Promise<RejectedContents> => {
      const rows = await segments;
      const unstored = { failed: new Map<string, unknown>(), rejected: new Map<string, unknown>() };
      // Segments without rows expire.
      if (isAbandoned) return unstored.rejected;
      await insertRows(database, rows, unstored);
      for (const error of unstored.failed.values()) throw error;
      await this.#storeWords(contents);
      return unstored.rejected;
    };
    const stored = finish();
    // Whoever abandons it need not handle its errors.
    stored.catch(() => undefined);
    const abandon = (): void => {
      isAbandoned = true;
    };
    return { stored, abandon };
  }

  async #storeWords(batch: readonly FinishedContent[]): Promise<void> {
    const { database, log } = this.#dependencies;
    const failures = await storeWords(database, textsOf(batch));
    this.unsearchableCount += failures.length;
    for (const failure of failures) log.warn(failure, 'the words of logged content could not be stored');
  }

  /** One after the other: an account occupies no more than one file. */
  async #storeSegments(accountId: string, contents: readonly FinishedContent[]): Promise<SegmentRows[]> {
    const rows: SegmentRows[] = [];
    for (const ofHour of byHour(contents)) rows.push(await this.#storeSegment(accountId, ofHour));
    return rows;
  }

  async #storeSegment(accountId: string, contents: readonly FinishedContent[]): Promise<SegmentRows> {
    const { seal } = this.#dependencies;
    const { bytes, lengths, wrappedKeys } = await seal.seal(accountId, contents, this.#memory.allocate);
    const segmentId = await this.#put(accountId, bytes);
    this.#memory.release(bytes);
    return { accountId, segmentId, rows: contents, start: 0, lengths, wrappedKeys };
  }

  async #put(accountId: string, bytes: Buffer): Promise<string> {
    const meta = { accountId, contentType: SEGMENT_TYPE, expiresAt: null, sizeLimit: MAX_SEGMENT_BYTES };
    return (await this.#dependencies.blobs.put(bytes, meta)).id;
  }
}

function textsOf(batch: readonly FinishedContent[]): SearchableText[] {
  const texts: SearchableText[] = [];
  for (const { accountId, eventId, searchText } of batch)
    if (searchText !== null) texts.push({ account_id: accountId, event_id: eventId, search_text: searchText });
  return texts;
}

/** The contents of each hour. Almost all of a batch began in the same minute: their IDs are not read one by one. */
function byHour(contents: readonly FinishedContent[]): Iterable<readonly FinishedContent[]> {
  let [prefix, hour] = ['', 0];
  const hourOf = ({ eventId }: FinishedContent): number => {
    if (prefix !== '' && eventId.startsWith(prefix)) return hour;
    const began = beganAt(eventId);
    hour = Math.floor(began / HOUR_MS);
    const periodStart = began - (began % PREFIX_MS);
    const isWithinHour = Math.floor(periodStart / HOUR_MS) === Math.floor((periodStart + PREFIX_MS - 1) / HOUR_MS);
    prefix = isWithinHour ? eventId.slice(0, PREFIX_DIGITS) : '';
    return hour;
  };
  return Map.groupBy(contents, hourOf).values();
}
