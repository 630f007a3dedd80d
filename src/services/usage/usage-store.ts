import { databaseErrorCode } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';

/** A row that the database cannot hold; it is not tried again. */
export type RejectedRow = (row: unknown, error: unknown) => void;

const columns = {
  event_id: 'uuid',
  began_at: 'timestamptz',
  account_id: 'uuid',
  api_key_id: 'uuid',
  member_id: 'uuid',
  capability: 'text',
  model: 'text',
  requested_model: 'text',
  provider: 'text',
  status: 'text',
  http_status: 'smallint',
  error_code: 'text',
  streamed: 'boolean',
  estimated: 'boolean',
  input_tokens: 'integer',
  output_tokens: 'integer',
  cached_tokens: 'integer',
  reasoning_tokens: 'integer',
  units: 'jsonb',
  cost_nano: 'bigint',
  price_version: 'text',
  rates: 'jsonb',
  finish_reason: 'text',
  duration_ms: 'integer',
  first_token_ms: 'integer',
  end_user: 'text',
  tags: 'jsonb',
  attempts: 'jsonb',
} as const;

const names = Object.keys(columns).join(', ');
const declared = Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/** One statement, so that rows and the keys' last use are stored together or not at all. */
const insert = `
with incoming as (select ${names} from jsonb_to_recordset($1::text::jsonb) as row(${declared})),
stored as (insert into usage_logs (${names}) select ${names} from incoming on conflict (event_id, began_at) do nothing returning api_key_id, began_at),
used as (select api_key_id, max(began_at) as at from stored group by api_key_id)
update api_keys set last_used_at = used.at from used where api_keys.id = used.api_key_id and (last_used_at is null or last_used_at < used.at)`;

const ensurePartitions = `
select ensure_usage_partition(month) from (select distinct date_trunc('month', began_at at time zone 'UTC') at time zone 'UTC' as month from jsonb_to_recordset($1::text::jsonb) as row(began_at timestamptz)) as months`;

/** Every record begins so. */
const betweenRows = /,(?=\{"event_id":")/;

/** check_violation is what PostgreSQL says of a row that no partition takes. */
const noPartition = '23514';

/** Puts settled requests into `usage_logs`, each once however often it is given. */
export class UsageStore {
  readonly #database: Database;
  readonly #onReject: RejectedRow;

  constructor(database: Database, onReject: RejectedRow) {
    this.#database = database;
    this.#onReject = onReject;
  }

  /** @param rowsJson a JSON array of usage records: PostgreSQL parses it, this process need not */
  async store(rowsJson: Buffer): Promise<void> {
    try {
      await this.#insert(rowsJson);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const text = rowsJson.toString();
      const rows = parseRows(text);
      if (rows === null) await this.#storeUnspoilt(text);
      else await this.#storeApart(rows, error);
    }
  }

  async #insert(rowsJson: Buffer): Promise<void> {
    try {
      await this.#database.query(insert, [rowsJson]);
    } catch (error) {
      if (databaseErrorCode(error) !== noPartition) throw error;
      await this.#database.query(ensurePartitions, [rowsJson]);
      await this.#database.query(insert, [rowsJson]);
    }
  }

  /** What the disk spoilt is no JSON: the rows around it are. */
  async #storeUnspoilt(text: string): Promise<void> {
    const whole = text
      .slice(1, -1)
      .split(betweenRows)
      .filter((row) => {
        const readable = parseRows(`[${row}]`) !== null;
        if (!readable) this.#onReject(row, new SyntaxError('the record is spoilt'));
        return readable;
      });
    if (whole.length > 0) await this.store(Buffer.from(`[${whole.join(',')}]`));
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

/** SQLSTATE classes 22, data exception, and 23, integrity violation: the same row would fail again. */
function isDataError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== null && (code.startsWith('22') || code.startsWith('23'));
}
