import { buffer } from 'node:stream/consumers';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import type { UsageLog } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { LoggedDocument, StoredLevel } from '../../gateway/content/content-log.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ContentSeal } from './content-seal.ts';

/** The usage log. */
export interface LoggedUsage {
  /** Null if the account has no such request, or its usage is not stored yet. */
  log(accountId: string, eventId: string): Promise<Pick<UsageLog, 'contentLevel' | 'settledAt'> | null>;
}

export interface LoggedContentsDependencies {
  readonly database: Pick<Database, 'query' | 'transaction' | 'kind'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly seal: ContentSeal;
  readonly usage: LoggedUsage;
  /** Stores what waits in memory of an account. @returns false if that takes longer than a few seconds */
  readonly flush: (accountId: string) => Promise<boolean>;
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * What is known of the content of a request. `unreadable`: its segment is missing, or was encrypted under another secret of the
 * server. `none`: it was not to be logged. `pending`: it may still be stored, here or by another instance. `lost`: it was to be
 * logged, and the process was killed before it was stored, or could not write to its disk that it was dropped.
 */
export type ReadContent =
  | {
      readonly state: 'stored';
      readonly level: StoredLevel;
      readonly document: LoggedDocument;
      readonly redactions: Readonly<Record<string, number>>;
    }
  | { readonly state: 'dropped' | 'deleted' | 'expired' | 'unreadable' | 'none' | 'pending' | 'lost' };

interface ContentRow {
  readonly state: 'stored' | 'dropped' | 'deleted' | 'expired';
  readonly level: StoredLevel | null;
  readonly segment_id: string | null;
  readonly position: number | null;
  readonly length: number | null;
  readonly wrapped_key: Buffer | null;
  readonly redactions: Readonly<Record<string, number>> | null;
}

/** How long after the usage of a request another instance may store its content: it gathers for a second, and tries again. */
const PENDING_MS = 60_000;

const find = `
select state, level, segment_id, position, length, wrapped_key, redactions from logged_contents where account_id = $1 and event_id = $2`;

/** Content that is stored afterwards is left out; see `insertRows`. */
const prevent = `
insert into logged_contents (event_id, account_id, state) values ($2, $1, 'deleted')
on conflict (event_id) do nothing returning event_id`;

/** Without its key, the content is unreadable at once; compaction removes its bytes. */
const destroy = `
with texts as (delete from logged_texts where account_id = $1 and event_id = $2)
update logged_contents
set state = 'deleted', segment_id = null, position = null, length = null, wrapped_key = null, redactions = null
where account_id = $1 and event_id = $2 and state = 'stored' returning event_id`;

/** Compaction may move it between the look-up and the read. */
const READS = 2;

/** Logged content of accounts. Every method also throws SluiceError database_unavailable. */
export class LoggedContentsService {
  readonly #dependencies: LoggedContentsDependencies;

  constructor(dependencies: LoggedContentsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param eventId of the request */
  async read(accountId: string, eventId: string): Promise<ReadContent> {
    for (let reads = 0; reads < READS; reads++) {
      const { row, isFlushed } = await this.#find(accountId, eventId);
      if (row === null) return { state: await this.#stateOfMissing(accountId, eventId, isFlushed) };
      const { state, segment_id: segmentId, wrapped_key: wrappedKey } = row;
      if (state !== 'stored') return { state };
      if (segmentId === null || wrappedKey === null) break;
      const bytes = await this.#bytes(accountId, segmentId, row);
      if (bytes === null) continue;
      const opened = this.#dependencies.seal.open({ bytes, wrappedKey }, { accountId, eventId });
      if (opened === null) break;
      // Written by the gateway.
      const document = JSON.parse(opened.toString()) as LoggedDocument;
      return { state, level: row.level ?? 'full', document, redactions: row.redactions ?? {} };
    }
    return { state: 'unreadable' };
  }

  /**
   * Destroys the key of a content, or prevents that it is stored; the audit log records it.
   * @throws SluiceError not_found if there is none
   */
  async delete(accountId: string, eventId: string): Promise<void> {
    const { row, isFlushed } = await this.#find(accountId, eventId);
    const isPending = row === null && (await this.#stateOfMissing(accountId, eventId, isFlushed)) === 'pending';
    const deleted = await mapDatabaseErrors(() =>
      this.#dependencies.database.transaction(async (client) => {
        const prevented = isPending ? await client.query(prevent, [accountId, eventId]) : null;
        // It was stored meanwhile, where nothing was prevented.
        const { rowCount } = prevented?.rowCount ? prevented : await client.query(destroy, [accountId, eventId]);
        if (rowCount === 0) return false;
        const target = { type: 'logged_content', id: eventId, label: null };
        await insertAudit(client, { accountId, action: 'logged_content.deleted', target });
        return true;
      }),
    );
    if (!deleted) throw new SluiceError('not_found', { values: { what: 'Content' } });
  }

  /** `isFlushed`: whether nothing of this process is missing. */
  async #find(accountId: string, eventId: string): Promise<{ row: ContentRow | null; isFlushed: boolean }> {
    const read = (): Promise<ContentRow[]> => this.#dependencies.database.query<ContentRow>(find, [accountId, eventId]);
    const [known] = await mapDatabaseErrors(read);
    if (known !== undefined) return { row: known, isFlushed: true };
    const isFlushed = await this.#dependencies.flush(accountId);
    const [row = null] = await mapDatabaseErrors(read);
    return { row, isFlushed };
  }

  /** The usage log says whether content was to be logged. */
  async #stateOfMissing(accountId: string, eventId: string, isFlushed: boolean): Promise<'none' | 'pending' | 'lost'> {
    const { database, usage, clock = systemClock } = this.#dependencies;
    const log = await usage.log(accountId, eventId);
    if (log === null || log.contentLevel === null) return 'none';
    // The embedded database has no other instances.
    const mayBeElsewhere = database.kind === 'server' && clock.now() - log.settledAt.getTime() < PENDING_MS;
    return isFlushed && !mayBeElsewhere ? 'lost' : 'pending';
  }

  /** Null where the segment was removed. */
  async #bytes(accountId: string, segmentId: string, { position, length }: ContentRow): Promise<Buffer | null> {
    const first = position ?? 0;
    const range = { first, last: first + (length ?? 0) - 1 };
    const part = await mapDatabaseErrors(() => this.#dependencies.blobs.get(segmentId, accountId, range));
    return part === null ? null : buffer(part.stream);
  }
}
