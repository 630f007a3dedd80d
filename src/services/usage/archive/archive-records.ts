import type { SqlQueries } from '../../../database/sql.ts';
import type { UsageMonth } from './usage-months.ts';
import type { Position } from './archive-rows.ts';
import type { ReadPart } from './read-part.ts';

/** What the database says of a month's archive. */
export interface ArchiveRecord {
  /** `2026-10` */
  readonly month: string;
  readonly location: string;
  /** Null until the archive is complete for the first time. */
  readonly storedBefore: Date | null;
  readonly pendingBefore: Date | null;
  readonly incompleteAccounts: number;
  readonly parts: number;
  readonly rows: number;
  readonly costNano: bigint;
  readonly bytes: number;
  readonly archivedAt: Date | null;
}

export interface RecordedPart extends ReadPart {
  readonly number: number;
  /** The bound of its run. */
  readonly storedBefore: Date;
  readonly firstAccountId: string;
  readonly last: Position;
}

/** Another process has the lease: it archives the month, or has ended less than a lease ago. */
export class ArchiveInUse extends Error {
  constructor(month: string) {
    super(
      `Another process archives ${month}, or was killed less than ${LEASE_SECONDS} seconds ago. Run the command again then.`,
    );
  }
}

export const LEASE_SECONDS = 60;
const heldUntil = `now() + interval '${LEASE_SECONDS} seconds'`;

/** The driver returns times as text in the format of the session: they are selected as milliseconds since the epoch. */
const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint::text as ${column}`;

const acquireSql = `
insert into usage_archives as archive (month, location, holder, held_until) values ($1, $2, $3, ${heldUntil})
on conflict (month) do update set holder = excluded.holder, held_until = excluded.held_until
where archive.holder is null or archive.held_until < now()
returning month`;

const renewSql = `update usage_archives set held_until = ${heldUntil} where month = $1 and holder = $2 returning month`;

const recordsSql = `select ${ms('month')}, location, ${ms('stored_before')}, ${ms('pending_before')}, incomplete_accounts, parts,
  rows::text, cost_nano::text, bytes::text, ${ms('archived_at')} from usage_archives`;

const beginSql = `
update usage_archives set pending_before = coalesce(pending_before, date_trunc('milliseconds', now() - $3 * interval '1 millisecond'))
where month = $1 and holder = $2 returning ${ms('pending_before')}`;

/** What is removed after the first complete run is in the archive. The lease is renewed. */
const countIncompleteSql = `
update usage_archives set held_until = ${heldUntil}, incomplete_accounts = case when stored_before is null
  then (select count(*) from usage_retention where kept_from > $1) else incomplete_accounts end
where month = $1 and holder = $2 returning incomplete_accounts`;

const addPartSql = `
with held as (update usage_archives set held_until = ${heldUntil} where month = $1 and holder = $2 returning month)
insert into usage_archive_parts (month, number, stored_before, rows, cost_nano, bytes, sha256, first_account_id, last_account_id, last_began_at, last_event_id)
select month, $3::int, $4::timestamptz, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::uuid, $10::uuid, $11::timestamptz, $12::uuid from held returning number`;

const completeSql = `
update usage_archives set stored_before = pending_before, pending_before = null, archived_at = now(), parts = total.parts,
  rows = total.rows, cost_nano = total.cost_nano, bytes = total.bytes
from (
  select count(*) as parts, coalesce(sum(rows), 0) as rows, coalesce(sum(cost_nano), 0) as cost_nano, coalesce(sum(bytes), 0) as bytes
  from usage_archive_parts where month = $1
) as total
where month = $1 and holder = $2 returning month`;

const discardSql = `
with held as (update usage_archives set pending_before = null where month = $1 and holder = $2 returning month)
delete from usage_archive_parts as part using held, usage_archives as archive
where part.month = held.month and archive.month = held.month and part.stored_before = archive.pending_before
returning number`;

interface Row {
  readonly month: string;
  readonly location: string;
  readonly stored_before: string | null;
  readonly pending_before: string | null;
  readonly incomplete_accounts: number;
  readonly parts: number;
  readonly rows: string;
  readonly cost_nano: string;
  readonly bytes: string;
  readonly archived_at: string | null;
}

interface PartRow {
  readonly number: number;
  readonly stored_before: string;
  readonly rows: string;
  readonly cost_nano: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly first_account_id: string;
  readonly last_account_id: string;
  readonly last_began_at: string;
  readonly last_event_id: string;
}

/** The rows about archives. A run changes those of its month while it has their lease. */
export class ArchiveRecords {
  readonly #database: SqlQueries;

  constructor(database: SqlQueries) {
    this.#database = database;
  }

  /** Oldest first, among them those that are not complete yet. */
  async all(): Promise<ArchiveRecord[]> {
    return (await this.#database.query<Row>(`${recordsSql} order by usage_archives.month`)).map(recordOf);
  }

  async of(month: UsageMonth): Promise<ArchiveRecord | null> {
    const [row] = await this.#database.query<Row>(`${recordsSql} where usage_archives.month = $1`, [
      new Date(month.from),
    ]);
    return row === undefined ? null : recordOf(row);
  }

  async partsOf(month: UsageMonth): Promise<RecordedPart[]> {
    const text = `select number, ${ms('stored_before')}, rows::text, cost_nano::text, bytes::text, sha256, first_account_id, last_account_id, ${ms('last_began_at')}, last_event_id
      from usage_archive_parts where month = $1 order by number`;
    return (await this.#database.query<PartRow>(text, [new Date(month.from)])).map(partOf);
  }

  /** @throws ArchiveInUse */
  async acquire(month: UsageMonth, location: string, holder: string): Promise<void> {
    await this.#held(acquireSql, month, [new Date(month.from), location, holder]);
  }

  /** @throws ArchiveInUse */
  async renew(month: UsageMonth, holder: string): Promise<void> {
    await this.#held(renewSql, month, [new Date(month.from), holder]);
  }

  /** Its files were moved. @throws ArchiveInUse */
  async relocate(month: UsageMonth, holder: string, location: string): Promise<void> {
    const text = 'update usage_archives set location = $3 where month = $1 and holder = $2 returning month';
    await this.#held(text, month, [new Date(month.from), holder, location]);
  }

  /** No effect if another run has the lease. A month without an archive is forgotten. */
  async release(month: UsageMonth, holder: string): Promise<void> {
    const values = [new Date(month.from), holder];
    const unused = 'month = $1 and holder = $2 and stored_before is null and pending_before is null';
    await this.#database.query(`delete from usage_archives where ${unused}`, values);
    const release = 'update usage_archives set holder = null, held_until = null where month = $1 and holder = $2';
    await this.#database.query(release, values);
  }

  /**
   * Continues the interrupted run, or begins one of the rows that were stored up to `delayMs` ago.
   * @returns the bound of the run @throws ArchiveInUse
   */
  async begin(month: UsageMonth, holder: string, delayMs: number): Promise<Date> {
    const values = [new Date(month.from), holder, delayMs];
    const [row] = await this.#held<{ pending_before: string }>(beginSql, month, values);
    if (row === undefined) throw new ArchiveInUse(month.name);
    return timeOf(row.pending_before);
  }

  /**
   * Counts, at the end of the first run, the accounts that may lack rows: also those that lost rows during the run, or while it was
   * interrupted.
   * @throws ArchiveInUse
   */
  async countIncomplete(month: UsageMonth, holder: string): Promise<number> {
    const values = [new Date(month.from), holder];
    const [row] = await this.#held<{ incomplete_accounts: number }>(countIncompleteSql, month, values);
    return row?.incomplete_accounts ?? 0;
  }

  /** @throws ArchiveInUse */
  async addPart(month: UsageMonth, holder: string, part: RecordedPart): Promise<void> {
    const { number, storedBefore, rows, costNano, bytes, sha256, firstAccountId, last } = part;
    await this.#held(addPartSql, month, [
      new Date(month.from),
      holder,
      number,
      storedBefore,
      rows,
      costNano,
      bytes,
      sha256,
      firstAccountId,
      last.accountId,
      last.beganAt,
      last.eventId,
    ]);
  }

  /** Its parts are the archive from now on. @throws ArchiveInUse */
  async complete(month: UsageMonth, holder: string): Promise<void> {
    await this.#held(completeSql, month, [new Date(month.from), holder]);
  }

  /** Ends the run without a result. @returns the numbers of its parts, whose files are removed by the caller */
  async discard(month: UsageMonth, holder: string): Promise<number[]> {
    const values = [new Date(month.from), holder];
    return (await this.#database.query<{ number: number }>(discardSql, values)).map(({ number }) => number);
  }

  async #held<R extends object>(text: string, month: UsageMonth, values: readonly unknown[]): Promise<R[]> {
    const rows = await this.#database.query<R>(text, values);
    if (rows.length === 0) throw new ArchiveInUse(month.name);
    return rows;
  }
}

function recordOf(row: Row): ArchiveRecord {
  return {
    month: timeOf(row.month).toISOString().slice(0, 7),
    location: row.location,
    storedBefore: timeOrNull(row.stored_before),
    pendingBefore: timeOrNull(row.pending_before),
    incompleteAccounts: row.incomplete_accounts,
    parts: row.parts,
    rows: Number(row.rows),
    costNano: BigInt(row.cost_nano),
    bytes: Number(row.bytes),
    archivedAt: timeOrNull(row.archived_at),
  };
}

function partOf(row: PartRow): RecordedPart {
  return {
    number: row.number,
    storedBefore: timeOf(row.stored_before),
    rows: Number(row.rows),
    costNano: BigInt(row.cost_nano),
    bytes: Number(row.bytes),
    sha256: row.sha256,
    firstAccountId: row.first_account_id,
    last: { accountId: row.last_account_id, beganAt: timeOf(row.last_began_at), eventId: row.last_event_id },
  };
}

function timeOf(ms: string): Date {
  return new Date(Number(ms));
}

function timeOrNull(ms: string | null): Date | null {
  return ms === null ? null : timeOf(ms);
}
