import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { Database } from '../../../database/database.ts';
import { csvCell } from '../../csv-cell.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { requestCount } from '../request-count.ts';
import { exportColumns, type ExportColumn, type ExportRow } from './export-columns.ts';
import { numbered, usageConditions, type UsageLogFilter } from '../usage-conditions.ts';

export const exportFormats = ['csv', 'jsonl', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export function isExportFormat(text: string): text is ExportFormat {
  return exportFormats.some((format) => format === text);
}

/** All requests if no time is given. */
export interface ExportRange extends UsageLogFilter {
  readonly accountId: string;
}

const PAGE_ROWS = 2_000;
/** A position before the first row. */
const FIRST = { beganAt: new Date(0), eventId: '00000000-0000-0000-0000-000000000000' };

const selected = `event_id, (extract(epoch from began_at) * 1000)::bigint as began_ms, api_key_id, member_id, capability, protocol, model, requested_model, provider, status, http_status, error_code, streamed, estimated, input_tokens, output_tokens, cached_tokens, reasoning_tokens, units, cost_nano, price_version, finish_reason, duration_ms, first_token_ms, end_user, tags, session_id, parent_id, trace_id, ${requestCount}::int as requests`;

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
