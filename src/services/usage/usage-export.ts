import { formatUsd } from '../../catalogue/price.ts';
import type { Database } from '../../database/database.ts';
import { csvCell } from '../csv-cell.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { requestCount } from './request-count.ts';
import { numbered, usageConditions, type UsageLogFilter } from './usage-conditions.ts';

export const exportFormats = ['csv', 'jsonl', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export function isExportFormat(text: string): text is ExportFormat {
  return exportFormats.some((format) => format === text);
}

/** All requests if no time is given. */
export interface ExportRange extends UsageLogFilter {
  readonly accountId: string;
}

/** A row of the log in PostgreSQL's format. */
export interface ExportRow {
  readonly event_id: string;
  /** Milliseconds since the epoch. */
  readonly began_ms: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly capability: string;
  readonly model: string;
  readonly requested_model: string;
  readonly provider: string;
  readonly status: string;
  readonly http_status: number;
  readonly error_code: string | null;
  readonly streamed: boolean;
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly units: object | null;
  /** Nano-USD. */
  readonly cost_nano: string;
  readonly price_version: string;
  readonly finish_reason: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly end_user: string | null;
  readonly tags: object | null;
  /** How many requests it counts. */
  readonly requests: number;
}

/** Column types, mapped by each format. */
export type ExportType = 'text' | 'integer' | 'boolean' | 'time' | 'json' | 'usd';
export type ExportValue = string | number | boolean | Date | object | bigint | null;

export interface ExportColumn {
  readonly name: string;
  readonly type: ExportType;
  of(row: ExportRow): ExportValue;
}

/** The columns of every format, in order; only the cost has another name in Parquet. */
export const exportColumns: readonly ExportColumn[] = [
  { name: 'request_id', type: 'text', of: (row) => `req_${row.event_id.replaceAll('-', '')}` },
  { name: 'created_at', type: 'time', of: (row) => new Date(Number(row.began_ms)) },
  { name: 'api_key_id', type: 'text', of: (row) => row.api_key_id },
  { name: 'member_id', type: 'text', of: (row) => row.member_id },
  { name: 'capability', type: 'text', of: (row) => row.capability },
  { name: 'model', type: 'text', of: (row) => row.model },
  { name: 'requested_model', type: 'text', of: (row) => row.requested_model },
  { name: 'provider', type: 'text', of: (row) => row.provider },
  { name: 'status', type: 'text', of: (row) => row.status },
  { name: 'http_status', type: 'integer', of: (row) => row.http_status },
  { name: 'error_code', type: 'text', of: (row) => row.error_code },
  { name: 'streamed', type: 'boolean', of: (row) => row.streamed },
  { name: 'estimated', type: 'boolean', of: (row) => row.estimated },
  { name: 'input_tokens', type: 'integer', of: (row) => row.input_tokens },
  { name: 'output_tokens', type: 'integer', of: (row) => row.output_tokens },
  { name: 'cached_tokens', type: 'integer', of: (row) => row.cached_tokens },
  { name: 'reasoning_tokens', type: 'integer', of: (row) => row.reasoning_tokens },
  { name: 'units', type: 'json', of: (row) => row.units },
  { name: 'cost_usd', type: 'usd', of: (row) => BigInt(row.cost_nano) },
  { name: 'price_version', type: 'text', of: (row) => row.price_version },
  { name: 'finish_reason', type: 'text', of: (row) => row.finish_reason },
  { name: 'duration_ms', type: 'integer', of: (row) => row.duration_ms },
  { name: 'first_token_ms', type: 'integer', of: (row) => row.first_token_ms },
  { name: 'end_user', type: 'text', of: (row) => row.end_user },
  { name: 'tags', type: 'json', of: (row) => row.tags },
  { name: 'requests', type: 'integer', of: (row) => row.requests },
];

const PAGE_ROWS = 2_000;
/** A position before the first row. */
const FIRST = { beganAt: new Date(0), eventId: '00000000-0000-0000-0000-000000000000' };

const selected = `event_id, (extract(epoch from began_at) * 1000)::bigint as began_ms, api_key_id, member_id, capability, model, requested_model, provider, status, http_status, error_code, streamed, estimated, input_tokens, output_tokens, cached_tokens, reasoning_tokens, units, cost_nano, price_version, finish_reason, duration_ms, first_token_ms, end_user, tags, ${requestCount}::int as requests`;

/** Exports an account's usage log as files, oldest row first. One page of rows is in memory at a time. */
export class UsageExport {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The file in chunks, each generated on demand. @throws SluiceError database_unavailable */
  async *file(format: ExportFormat, range: ExportRange): AsyncGenerator<Buffer> {
    const pages = this.#pages(range);
    // The Parquet writer is loaded only when needed.
    if (format === 'parquet') yield* (await import('./usage-parquet.ts')).parquetFile(pages);
    else if (format === 'csv') yield* csvFile(pages);
    else yield* jsonLines(pages);
  }

  async *#pages({ accountId, ...filter }: ExportRange): AsyncGenerator<readonly ExportRow[]> {
    const conditions = usageConditions(filter);
    if (conditions === null) return;
    let after = FIRST;
    for (;;) {
      const values: unknown[] = [accountId, after.beganAt, after.eventId, PAGE_ROWS];
      const narrowing = numbered(conditions, values);
      const rows = await mapDatabaseErrors(() =>
        this.#database.query<ExportRow>(
          `select ${selected} from usage_logs
          where account_id = $1 and began_at >= $2 and (began_at, event_id) > ($2, $3)${narrowing}
          order by began_at, event_id limit $4`,
          values,
        ),
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return;
      after = { beganAt: new Date(Number(last.began_ms)), eventId: last.event_id };
    }
  }
}

/** RFC 4180: commas, CRLF, quotes doubled. */
async function* csvFile(pages: AsyncIterable<readonly ExportRow[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${exportColumns.map(({ name }) => name).join(',')}\r\n`);
  for await (const rows of pages) yield Buffer.from(rows.map((row) => `${csvLine(row)}\r\n`).join(''));
}

function csvLine(row: ExportRow): string {
  return exportColumns
    .map((column) => {
      const text = plainText(column, row);
      return csvCell(text === null ? '' : String(text));
    })
    .join(',');
}

async function* jsonLines(pages: AsyncIterable<readonly ExportRow[]>): AsyncGenerator<Buffer> {
  for await (const rows of pages) yield Buffer.from(rows.map((row) => `${jsonLine(row)}\n`).join(''));
}

function jsonLine(row: ExportRow): string {
  return JSON.stringify(
    Object.fromEntries(
      exportColumns.map((column) => [column.name, column.type === 'json' ? column.of(row) : plainText(column, row)]),
    ),
  );
}

/** Numbers and booleans unchanged, everything else as text: money as an exact decimal, times in RFC 3339. */
function plainText(column: ExportColumn, row: ExportRow): string | number | boolean | null {
  const value = column.of(row);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return formatUsd(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
