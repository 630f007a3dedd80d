import type { Database } from '../../database/database.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { SEGMENT_TYPE } from '../../storage/blobs/object-key.ts';
import { isOutage } from './segment-rows.ts';

export interface CompactionDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Smaller segments of an hour are merged. */
const SMALL_BYTES = 256 * 1024;
/** Of a compacted segment. One content may be longer. */
const MAX_PACKED_BYTES = 16 * 1024 * 1024;
const MAX_SEGMENT_BYTES = 512 * 1024 * 1024;
/** Per account and run. */
const MAX_SEGMENTS = 5_000;
/** A segment is stored before its rows. */
const UNCLAIMED_MS = 3_600_000;

const accounts = `
select distinct account_id from blobs where content_type = $1 and expires_at is null and created_at < $2 and account_id is not null`;

/** Segments of which at most half can be read, and small ones. Those of which nothing can be read expire without compaction. */
const candidates = `
select blobs.id, blobs.size::text as size, sum(length)::text as live, date_trunc('hour', created_at)::text as hour
from blobs join logged_contents on segment_id = blobs.id
where blobs.account_id = $1 and content_type = $2 and expires_at is null and created_at < $3
group by blobs.id, blobs.size, created_at
having sum(length) * 2 <= blobs.size or blobs.size < ${SMALL_BYTES}
order by created_at, blobs.id limit ${MAX_SEGMENTS}`;

const contents = `
select event_id, segment_id, position, length from logged_contents
where account_id = $1 and segment_id = any($2::uuid[]) and state = 'stored' order by segment_id, position`;

/** A content that was deleted, or moved by another run, meanwhile is left as it is. */
const move = `
update logged_contents set segment_id = $1, position = moved.new_position
from json_to_recordset($2) as moved(event_id uuid, segment_id uuid, new_position int)
where logged_contents.event_id = moved.event_id and logged_contents.segment_id = moved.segment_id
  and account_id = $3 and state = 'stored'`;

/** The sweep of blobs removes the files. */
const expire = `
update blobs set expires_at = $1 where id = any($2::uuid[]) and expires_at is null
  and not exists (select from logged_contents where segment_id = blobs.id)`;

interface Candidate {
  readonly id: string;
  readonly size: string;
  readonly live: string;
  readonly hour: string;
}

interface Part {
  readonly event_id: string;
  readonly segment_id: string;
  readonly position: number;
  readonly length: number;
}

/**
 * Rewrites segments of which much was deleted or has expired, and merges small ones of an account and hour. Contents are copied as
 * they are, encrypted. At every moment each row refers to a complete segment: the new one is stored before the rows change, in
 * one statement, and the old ones are removed after that. What a process that was killed left behind has no rows and expires. What
 * cannot be read stays where it is, and does not affect others.
 */
export class SegmentCompaction {
  readonly #dependencies: CompactionDependencies;

  constructor(dependencies: CompactionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stops between segments when `signal` aborts. Several runs at once do no harm.
   * @returns how many segments it replaced @throws after all that can be done, where some could not
   */
  async compact(now: Date, signal?: AbortSignal): Promise<number> {
    const { database } = this.#dependencies;
    const before = new Date(now.getTime() - UNCLAIMED_MS);
    const failures: unknown[] = [];
    const fail = (error: unknown): number => {
      if (isOutage(error)) throw error;
      failures.push(error);
      return 0;
    };
    let replaced = 0;
    for (const { account_id: accountId } of await database.query<{ account_id: string }>(accounts, [
      SEGMENT_TYPE,
      before,
    ])) {
      const found = await database.query<Candidate>(candidates, [accountId, SEGMENT_TYPE, before]);
      for (const group of Map.groupBy(found, ({ hour }) => hour).values()) {
        if (signal?.aborted) return replaced;
        const sources = sourcesOf(group);
        if (sources.length > 0) replaced += await this.#replace(accountId, sources, now).catch(fail);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some logged content could not be compacted');
    return replaced;
  }

  async #replace(accountId: string, sources: readonly string[], now: Date): Promise<number> {
    const { database } = this.#dependencies;
    const parts = await database.query<Part>(contents, [accountId, sources]);
    for (const packed of packs(parts)) await this.#move(accountId, packed);
    await database.query(expire, [now, sources]);
    return sources.length;
  }

  async #move(accountId: string, parts: readonly Part[]): Promise<void> {
    const { database, blobs, log } = this.#dependencies;
    const moved: object[] = [];
    const copied = this.#copy(accountId, parts, moved);
    const meta = { accountId, contentType: SEGMENT_TYPE, expiresAt: null, sizeLimit: MAX_SEGMENT_BYTES };
    const { id } = await blobs.put(copied, meta);
    if (moved.length < parts.length)
      log.warn({ account: accountId }, 'segments of logged content are missing or truncated');
    await database.query(move, [id, JSON.stringify(moved), accountId]);
  }

  /** @param moved receives the parts that could be read, with their new positions */
  async *#copy(accountId: string, parts: readonly Part[], moved: object[]): AsyncGenerator<Uint8Array> {
    let start = 0;
    for (const run of runs(parts)) {
      const [first] = run;
      const length = run.reduce((sum, part) => sum + part.length, 0);
      if (first === undefined || length === 0) continue;
      const range = { first: first.position, last: first.position + length - 1 };
      const source = await this.#dependencies.blobs.get(first.segment_id, accountId, range);
      if (source === null) continue;
      let copied = 0;
      for await (const bytes of source.stream) {
        copied += (bytes as Uint8Array).length;
        yield bytes as Uint8Array;
      }
      // A file may be shorter than its row says: positions follow what it has.
      let position = 0;
      for (const { event_id, segment_id, length: size } of run) {
        if (position + size <= copied) moved.push({ event_id, segment_id, new_position: start + position });
        position += size;
      }
      start += copied;
    }
  }
}

/** A single small segment is left as it is: there is nothing to merge it with. */
function sourcesOf(group: readonly Candidate[]): string[] {
  const isSparse = ({ size, live }: Candidate): boolean => Number(live) * 2 <= Number(size);
  const chosen = group.length > 1 ? group : group.filter(isSparse);
  return chosen.map(({ id }) => id);
}

/** Parts of new segments. */
function packs(parts: readonly Part[]): Part[][] {
  const packed: Part[][] = [];
  let bytes = Infinity;
  for (const part of parts) {
    if (bytes + part.length > MAX_PACKED_BYTES) {
      packed.push([]);
      bytes = 0;
    }
    packed.at(-1)?.push(part);
    bytes += part.length;
  }
  return packed;
}

/** Adjacent parts of one segment, which are read at once. */
function runs(parts: readonly Part[]): Part[][] {
  const found: Part[][] = [];
  let end = -1;
  let segment = '';
  for (const part of parts) {
    if (part.segment_id !== segment || part.position !== end) found.push([]);
    found.at(-1)?.push(part);
    segment = part.segment_id;
    end = part.position + part.length;
  }
  return found;
}
