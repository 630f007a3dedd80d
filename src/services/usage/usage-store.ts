import { z } from 'zod';
import { UNPRICED } from '../../catalogue/catalogue.ts';
import { databaseErrorCode } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import { ensurePartitions, settle } from './settlement.ts';

const commonsForm = z.array(z.looseObject({ common: z.number() }));
const rowForm = z.looseObject({ of_key: z.number().optional(), of_route: z.number().optional() });

/** A row that the database cannot hold; it is not tried again. */
export type RejectedRow = (row: unknown, error: unknown) => void;

const NO_COMMONS = '[]';
const unpricedMember = `"price_version":"${UNPRICED}"`;

/** Every record begins so. */
const betweenRows = /,(?=\{"event_id":")/;

/** check_violation is what PostgreSQL says of a row that no partition takes. */
const noPartition = '23514';

/**
 * Puts settled requests into `usage_logs`, with the roll-ups and the ledger in the same transaction: each once, however
 * often it is given.
 */
export class UsageStore {
  readonly #database: Database;
  readonly #onReject: RejectedRow;
  /** Told the records of requests whose price was not known, when they are stored. */
  onUnpriced: ((rows: readonly unknown[]) => void) | null = null;

  constructor(database: Database, onReject: RejectedRow) {
    this.#database = database;
    this.#onReject = onReject;
  }

  /**
   * @param rowsJson a JSON array of usage records: PostgreSQL parses it, this process need not
   * @param commonsJson of what they refer to; see UsageSink
   */
  async store(rowsJson: Buffer, commonsJson = NO_COMMONS): Promise<void> {
    try {
      await this.#insert(rowsJson, commonsJson);
      this.#reportUnpriced(rowsJson, commonsJson);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const text = rowsJson.toString();
      const rows = parseRows(text);
      if (rows === null) await this.#storeValid(text, commonsJson);
      else await this.#storeApart(completeRows(rows, commonsJson), error);
    }
  }

  /** What requests have in common says whether there is any: rows are read only where they have nothing in common. */
  #reportUnpriced(rowsJson: Buffer, commonsJson: string): void {
    if (this.onUnpriced === null) return;
    if (commonsJson === NO_COMMONS ? !rowsJson.includes(unpricedMember) : !commonsJson.includes(unpricedMember)) return;
    const rows = parseRows(rowsJson.toString());
    if (rows !== null) this.onUnpriced(completeRows(rows, commonsJson));
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

  /** What the disk spoilt is no JSON: the rows around it are. */
  async #storeValid(text: string, commonsJson: string): Promise<void> {
    const whole = text
      .slice(1, -1)
      .split(betweenRows)
      .filter((row) => {
        const readable = parseRows(`[${row}]`) !== null;
        if (!readable) this.#onReject(row, new SyntaxError('the record is spoilt'));
        return readable;
      });
    if (whole.length > 0) await this.store(Buffer.from(`[${whole.join(',')}]`), commonsJson);
  }

  /** One bad row must not hold up the others: halves are tried apart until it stands alone. */
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

/** Null for what is no JSON array. */
function parseRows(text: string): unknown[] | null {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : null;
  } catch {
    return null;
  }
}

/** With what they refer to instead of its numbers, so that one that is told tells all. */
function completeRows(rows: readonly unknown[], commonsJson: string): unknown[] {
  const commons = new Map<number | undefined, object>();
  for (const { common, ...members } of commonsForm.parse(JSON.parse(commonsJson))) commons.set(common, members);
  return rows.map((row) => {
    const { data } = rowForm.safeParse(row);
    if (data === undefined) return row;
    // The number of what is not there stays, to find it by.
    const { of_key, of_route, ...own } = data;
    const lost = { ...(!commons.has(of_key) && { of_key }), ...(!commons.has(of_route) && { of_route }) };
    return { ...commons.get(of_key), ...commons.get(of_route), ...own, ...lost };
  });
}

/** SQLSTATE classes 22, data exception, 23, integrity violation, and 54, program limit: the same row would fail again. */
function isDataError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== null && /^(?:22|23|54)/.test(code);
}
