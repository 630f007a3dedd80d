import { isConnectionFailure } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import type { ContentStore, FinishedContent, StoredLevel } from '../../gateway/content/content-log.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { beganAt } from '../unstored-rows/retention.ts';
import { jsonColumns } from '../unstored-rows/json-columns.ts';
import { WRAPPED_KEY_BYTES, type ContentSeal } from './content-seal.ts';
import { storeWords, type SearchableText } from './searchable-words.ts';

export interface SegmentStoreDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly seal: ContentSeal;
  readonly log: { warn(fields: object, message: string): void };
}

/** The content type of blobs that are segments of logged content. */
export const SEGMENT_TYPE = 'application/vnd.sluice.content-segment';
const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;
const HOUR_MS = 3_600_000;
const MAX_CONCURRENT_PUTS = 4;
/** Of a wrapped key in base64, which needs no padding. */
const KEY_CHARACTERS = (WRAPPED_KEY_BYTES / 3) * 4;

const columns = {
  event_id: 'uuid',
  account_id: 'uuid',
  state: 'text',
  level: 'text',
  segment_id: 'uuid',
  position: 'int',
  length: 'int',
  redactions: 'jsonb',
};
const { names, declared } = jsonColumns(columns);
const selected = Object.keys(columns)
  .map((name) => `r.${name}`)
  .join();

/** Content of an account that was erased meanwhile is not stored: its segment has no rows, and is removed. */
const insertRows = `
insert into logged_contents (${names}, wrapped_key)
select ${selected}, decode(r.wrapped_key, 'base64')
from json_to_recordset($1) as r(${declared}, wrapped_key text)
join accounts on accounts.id = r.account_id and accounts.erased_at is null
on conflict (event_id) do nothing`;

/** A row of `logged_contents`. */
interface ContentRow {
  readonly event_id: string;
  readonly account_id: string;
  readonly state: 'stored' | 'dropped';
  readonly level: StoredLevel | null;
  readonly segment_id: string | null;
  readonly position: number | null;
  readonly length: number | null;
  readonly redactions: Readonly<Record<string, number>> | null;
  /** Base64. */
  readonly wrapped_key: string | null;
}

const notStored = {
  state: 'dropped',
  level: null,
  segment_id: null,
  position: null,
  length: null,
  redactions: null,
  wrapped_key: null,
} as const;

/**
 * Stores content as parts of segments: one blob for each account and hour of a batch, so that a blob has the content of one account
 * and expires with it. One statement stores the rows of all, after their segments, and the next their words.
 */
export class SegmentStore implements ContentStore {
  /** Records of this process that were stored without their words. */
  unsearchableCount = 0;
  readonly #dependencies: SegmentStoreDependencies;

  constructor(dependencies: SegmentStoreDependencies) {
    this.#dependencies = dependencies;
  }

  async store(batch: readonly FinishedContent[]): Promise<ReadonlyMap<string, unknown>> {
    const groups = [...Map.groupBy(batch, groupOf).values()];
    const rows: ContentRow[] = [];
    const failed = new Map<string, unknown>();
    const fail = (accountId: string, error: unknown): void => {
      // The database is gone for all.
      if (isConnectionFailure(error)) throw error;
      failed.set(accountId, error);
    };
    for (let at = 0; at < groups.length; at += MAX_CONCURRENT_PUTS) {
      const stored = groups
        .slice(at, at + MAX_CONCURRENT_PUTS)
        .map((group) =>
          this.#storeSegment(group).catch((error: unknown) => void fail(group[0]?.accountId ?? '', error)),
        );
      for (const found of await Promise.all(stored)) rows.push(...(found ?? []));
    }
    await this.#insert(
      rows.filter(({ account_id }) => !failed.has(account_id)),
      fail,
    );
    await this.#storeWords(batch.filter(({ accountId }) => !failed.has(accountId)));
    return failed;
  }

  /** In one statement; where that fails, in one for each account. */
  async #insert(rows: readonly ContentRow[], fail: (accountId: string, error: unknown) => void): Promise<void> {
    if (rows.length === 0) return;
    const { database } = this.#dependencies;
    const insert = (some: readonly ContentRow[]): Promise<unknown> =>
      database.query(insertRows, [JSON.stringify(some)]);
    const byAccount = Map.groupBy(rows, ({ account_id }) => account_id);
    try {
      await insert(rows);
    } catch (error) {
      if (byAccount.size === 1) return fail(rows[0]?.account_id ?? '', error);
      if (isConnectionFailure(error)) throw error;
      for (const [accountId, own] of byAccount) await insert(own).catch((failure: unknown) => fail(accountId, failure));
    }
  }

  async #storeWords(batch: readonly FinishedContent[]): Promise<void> {
    const { database, log } = this.#dependencies;
    const failures = await storeWords(database, textsOf(batch));
    this.unsearchableCount += failures.length;
    for (const failure of failures) log.warn(failure, 'the words of logged content could not be stored');
  }

  async #storeSegment(group: readonly FinishedContent[]): Promise<ContentRow[]> {
    const accountId = group[0]?.accountId ?? '';
    const rows = group.flatMap(({ eventId, content }) =>
      content === null ? [{ ...notStored, event_id: eventId, account_id: accountId }] : [],
    );
    const contents = group.flatMap(({ eventId, content }) => (content === null ? [] : [{ eventId, content }]));
    if (contents.length === 0) return rows;
    const { bytes, lengths, wrappedKeys } = await this.#dependencies.seal.seal(
      accountId,
      contents.map(({ eventId, content }) => ({ eventId, document: content.document })),
    );
    const segmentId = await this.#put(accountId, bytes);
    const keys = wrappedKeys.toString('base64');
    let position = 0;
    const stored = contents.map(({ eventId, content: { level, redactions } }, at): ContentRow => {
      const length = lengths[at] ?? 0;
      const row = {
        event_id: eventId,
        account_id: accountId,
        state: 'stored' as const,
        level,
        segment_id: segmentId,
        position,
        length,
        redactions,
        wrapped_key: keys.slice(at * KEY_CHARACTERS, (at + 1) * KEY_CHARACTERS),
      };
      position += length;
      return row;
    });
    return [...rows, ...stored];
  }

  async #put(accountId: string, bytes: Buffer): Promise<string> {
    const meta = { accountId, contentType: SEGMENT_TYPE, expiresAt: null, sizeLimit: MAX_SEGMENT_BYTES };
    return (await this.#dependencies.blobs.put(bytes, meta)).id;
  }
}

function textsOf(batch: readonly FinishedContent[]): SearchableText[] {
  return batch.flatMap(({ accountId, eventId, content }) => {
    const text = content?.searchText ?? null;
    return text === null ? [] : [{ account_id: accountId, event_id: eventId, search_text: text }];
  });
}

function groupOf({ accountId, eventId }: FinishedContent): string {
  return `${accountId}/${Math.floor(beganAt(eventId) / HOUR_MS)}`;
}
