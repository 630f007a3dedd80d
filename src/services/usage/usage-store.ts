import { z } from 'zod';
import { UNPRICED } from '../../catalogue/catalogue.ts';
import { databaseErrorCode } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import { ensurePartitions, settle } from './settlement.ts';

const commonsForm = z.array(z.looseObject({ common: z.number() }));
const rowForm = z.looseObject({ of_key: z.number().optional(), of_route: z.number().optional() });

const sessionForm = z.object({ account_id: z.string(), session_id: z.string() });

/** A session with new records. */
export interface StoredSession {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Called with a row that the database cannot store; it is not retried. */
export type RejectedRow = (row: unknown, error: unknown) => void;

const NO_COMMONS = '[]';
const unpricedMember = `"price_version":"${UNPRICED}"`;

const sessionMember = '"session_id":"';

/** Every record starts like this. */
const betweenRows = /,(?=\{"event_id":")/;

/** check_violation: no partition contains the row. */
const noPartition = '23514';

/**
 * Stores settled requests in `usage_logs`, with roll-ups and ledger postings in the same transaction: each once, however often
 * it is passed.
 */
export class UsageStore {
  readonly #database: Database;
  readonly #onReject: RejectedRow;
  /** Receives stored records of requests without a known price. */
  onUnpriced: ((rows: readonly unknown[]) => void) | null = null;

  constructor(database: Database, onReject: RejectedRow) {
    this.#database = database;
    this.#onReject = onReject;
  }

  /** Receives the sessions of stored records, each once per batch. */
  onSessions: ((sessions: readonly StoredSession[]) => void) | null = null;

  /**
   * @param rowsJson a JSON array of usage records, which PostgreSQL parses
   * @param commonsJson the records that they reference; see UsageSink
   */
  async store(rowsJson: Buffer, commonsJson = NO_COMMONS): Promise<void> {
    try {
      await this.#insert(rowsJson, commonsJson);
      this.#reportUnpriced(rowsJson, commonsJson);
      this.#reportSessions(rowsJson, commonsJson);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const text = rowsJson.toString();
      const rows = parseRows(text);
      if (rows === null) await this.#storeValid(text, commonsJson);
      else await this.#storeApart(completeRows(rows, commonsJson), error);
    }
  }

  /** The shared records show whether there are any: rows are parsed only if they share nothing. */
  #reportUnpriced(rowsJson: Buffer, commonsJson: string): void {
    if (this.onUnpriced === null) return;
    if (commonsJson === NO_COMMONS ? !rowsJson.includes(unpricedMember) : !commonsJson.includes(unpricedMember)) return;
    const rows = parseRows(rowsJson.toString());
    if (rows !== null) this.onUnpriced(completeRows(rows, commonsJson));
  }

  #reportSessions(rowsJson: Buffer, commonsJson: string): void {
    if (this.onSessions === null || !rowsJson.includes(sessionMember)) return;
    const sessions = new Map<string, StoredSession>();
    for (const row of completeRows(parseRows(rowsJson.toString()) ?? [], commonsJson)) {
      const { data } = sessionForm.safeParse(row);
      if (data !== undefined)
        sessions.set(data.account_id + data.session_id, { accountId: data.account_id, sessionId: data.session_id });
    }
    this.onSessions([...sessions.values()]);
  }

  async #insert(rowsJson: Buffer, commonsJson: string): Promise<void> {
    try {
      await this.#database.query(settle, [rowsJson, commonsJson]);
    } catch (error) {
      if (databaseErrorCode(error) !== noPartition) throw error;
      await this.#database.query(ensurePartitions, [rowsJson]);
      await this.#database.query(settle, [rowsJson, commonsJson]);
    }
  }

  /** A row corrupted on disk is not valid JSON: the rows around it are stored. */
  async #storeValid(text: string, commonsJson: string): Promise<void> {
    const intact = text
      .slice(1, -1)
      .split(betweenRows)
      .filter((row) => {
        const readable = parseRows(`[${row}]`) !== null;
        if (!readable) this.#onReject(row, new SyntaxError('the record is corrupt'));
        return readable;
      });
    if (intact.length > 0) await this.store(Buffer.from(`[${intact.join(',')}]`), commonsJson);
  }

  /** An invalid row must not block others: the batch is bisected until it is isolated. */
  async #storeApart(rows: readonly unknown[], error: unknown): Promise<void> {
    if (rows.length <= 1) {
      this.#onReject(rows[0], error);
      return;
    }
    const middle = rows.length >> 1;
    await this.store(Buffer.from(JSON.stringify(rows.slice(0, middle))));
    await this.store(Buffer.from(JSON.stringify(rows.slice(middle))));
  }
}

/** Null if it is not a JSON array. */
function parseRows(text: string): unknown[] | null {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : null;
  } catch {
    return null;
  }
}

/** Replaces references by their contents, so that a reported row is complete. */
function completeRows(rows: readonly unknown[], commonsJson: string): unknown[] {
  const commons = new Map<number | undefined, object>();
  for (const { common, ...members } of commonsForm.parse(JSON.parse(commonsJson))) commons.set(common, members);
  return rows.map((row) => {
    const { data } = rowForm.safeParse(row);
    if (data === undefined) return row;
    // An unresolved reference is retained, to find its record.
    const { of_key, of_route, ...own } = data;
    const lost = { ...(!commons.has(of_key) && { of_key }), ...(!commons.has(of_route) && { of_route }) };
    return { ...commons.get(of_key), ...commons.get(of_route), ...own, ...lost };
  });
}

/** SQLSTATE classes 22 (data exception), 23 (integrity violation) and 54 (program limit): a retry would fail again. */
function isDataError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== null && /^(?:22|23|54)/.test(code);
}
