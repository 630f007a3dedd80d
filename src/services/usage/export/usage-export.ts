import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { SqlQueries } from '../../../database/sql.ts';
import { csvCell } from '../../csv-cell.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { requestCount } from '../request-count.ts';
import { exportColumns, furtherSelected, type ExportColumn, type ExportRow } from './export-columns.ts';
import { figureSql, isTimeOrder, MAX_SORTED, type FigureOrder, type UsageOrder } from '../usage-order.ts';
import { searchWindows } from '../../content-search/search-windows.ts';
import { numbered, type RowCondition } from '../../row-condition.ts';
import { sortedConditions } from '../sorted-usage.ts';
import { usageConditions, type UsageLogFilter } from '../usage-conditions.ts';

export const exportFormats = ['csv', 'jsonl', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export function isExportFormat(text: string): text is ExportFormat {
  return exportFormats.some((format) => format === text);
}

/** All requests if no time is given. */
export interface ExportRange extends UsageLogFilter {
  readonly accountId: string;
  /** All that a row has if absent. */
  readonly columns?: readonly ExportColumn[] | undefined;
  /** The oldest first if absent. By a figure, the latest `MAX_SORTED` requests are exported. */
  readonly order?: UsageOrder | undefined;
}

/** More would delay requests of the same process by the time that it takes to read and to write them. */
const PAGE_ROWS = 200;
/** Positions before the first row and after the last one. */
const FIRST = { beganAt: new Date(0), eventId: '00000000-0000-0000-0000-000000000000' };
const LAST = { beganAt: new Date(Date.UTC(9999, 11, 31)), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const selected = `event_id, (extract(epoch from began_at) * 1000)::bigint as began_ms, api_key_id, member_id, capability, protocol, model, requested_model, provider, status, http_status, error_code, streamed, estimated, input_tokens, output_tokens, cached_tokens, reasoning_tokens, units, cost_nano, price_version, finish_reason, duration_ms, first_token_ms, end_user, tags, session_id, parent_id, trace_id, ${requestCount}::int as requests`;

/** Exports an account's usage log as files. One page of rows is in memory at a time. */
export class UsageExport {
  readonly #database: SqlQueries;

  constructor(database: SqlQueries) {
    this.#database = database;
  }

  /** The file in chunks, each generated on demand. @throws SluiceError database_unavailable */
  async *file(format: ExportFormat, range: ExportRange): AsyncGenerator<Buffer> {
    const { columns = exportColumns, order = 'time_asc', ...rest } = range;
    const further = furtherSelected(columns);
    const pages = isTimeOrder(order)
      ? this.#pages(rest, further, order === 'time_desc')
      : this.#sorted(rest, further, order);
    // The Parquet writer is loaded only when needed.
    if (format === 'parquet') yield* (await import('./usage-parquet.ts')).parquetFile(pages, columns);
    else if (format === 'csv') yield* csvFile(pages, columns);
    else yield* jsonLines(pages, columns);
  }

  async *#pages(
    { accountId, ...filter }: ExportRange,
    further: string,
    descends: boolean,
  ): AsyncGenerator<readonly ExportRow[]> {
    const { text, ...rest } = filter;
    const conditions = usageConditions(accountId, rest);
    if (conditions === null) return;
    if (text === undefined) return yield* this.#pagesOf(accountId, conditions, further, descends);
    const wish = { descends, isNarrowed: conditions.length > 0, wanted: null };
    const windows = searchWindows(this.#database, { accountId, words: text }, filter, wish);
    for (;;) {
      const { done, value } = await mapDatabaseErrors(() => windows.next());
      if (done === true) return;
      yield* this.#pagesOf(accountId, [...conditions, ...value], further, descends);
    }
  }

  async *#pagesOf(
    accountId: string,
    conditions: readonly RowCondition[],
    further: string,
    descends: boolean,
  ): AsyncGenerator<readonly ExportRow[]> {
    const [beyond, direction] = descends ? ['<', 'desc'] : ['>', 'asc'];
    let after = descends ? LAST : FIRST;
    for (;;) {
      const values: unknown[] = [accountId, after.beganAt, after.eventId, PAGE_ROWS];
      const narrowing = numbered(conditions, values);
      const rows = await mapDatabaseErrors(() =>
        this.#database.query<ExportRow>(
          `select ${selected}${further} from usage_logs
          where account_id = $1 and began_at ${beyond}= $2 and (began_at, event_id) ${beyond} ($2, $3)${narrowing}
          order by began_at ${direction}, event_id ${direction} limit $4`,
          values,
        ),
      );
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return;
      after = { beganAt: new Date(Number(last.began_ms)), eventId: last.event_id };
    }
  }

  /** By a figure: of a bounded number of requests, read at once, so that the file is of one moment. */
  async *#sorted(
    { accountId, ...filter }: ExportRange,
    further: string,
    order: FigureOrder,
  ): AsyncGenerator<readonly ExportRow[]> {
    const conditions = await mapDatabaseErrors(() => sortedConditions(this.#database, accountId, filter));
    if (conditions === null) return;
    const { figure, descends } = figureSql(order);
    const direction = descends ? 'desc' : 'asc';
    const values: unknown[] = [accountId];
    const narrowing = numbered(conditions, values);
    const rows = await mapDatabaseErrors(() =>
      this.#database.query<ExportRow>(
        `select ${selected}${further} from (
           select * from usage_logs where account_id = $1${narrowing}
           order by began_at desc, event_id desc limit ${MAX_SORTED}
         ) as usage_logs
         order by ${figure} ${direction}, began_at ${direction}, event_id ${direction}`,
        values,
      ),
    );
    for (let first = 0; first < rows.length; first += PAGE_ROWS) yield rows.slice(first, first + PAGE_ROWS);
  }
}

/** RFC 4180: commas, CRLF, quotes doubled. */
async function* csvFile(
  pages: AsyncIterable<readonly ExportRow[]>,
  columns: readonly ExportColumn[],
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => name).join(',')}\r\n`);
  for await (const rows of pages) yield Buffer.from(rows.map((row) => `${csvLine(row, columns)}\r\n`).join(''));
}

function csvLine(row: ExportRow, columns: readonly ExportColumn[]): string {
  return columns
    .map((column) => {
      const text = plainText(column, row);
      return csvCell(text === null ? '' : String(text));
    })
    .join(',');
}

async function* jsonLines(
  pages: AsyncIterable<readonly ExportRow[]>,
  columns: readonly ExportColumn[],
): AsyncGenerator<Buffer> {
  for await (const rows of pages) yield Buffer.from(rows.map((row) => `${jsonLine(row, columns)}\n`).join(''));
}

function jsonLine(row: ExportRow, columns: readonly ExportColumn[]): string {
  return JSON.stringify(
    Object.fromEntries(
      columns.map((column) => [column.name, column.type === 'json' ? column.of(row) : plainText(column, row)]),
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
