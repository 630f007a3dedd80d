import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ExportColumn, ExportRow, ExportType, ExportValue } from './export-columns.ts';

/** Rows that the writer holds in memory. */
const ROWS_PER_GROUP = 10_000;

/** Costs are integer nano-USD: exact, and supported by all readers, unlike decimals. */
const costColumn = 'cost_nano_usd';

const types: Readonly<Record<ExportType, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  usd: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

const nameOf = ({ name, type }: ExportColumn): string => (type === 'usd' ? costColumn : name);

const schemaOf = (columns: readonly ExportColumn[]): SchemaElement[] => [
  { name: 'usage', num_children: columns.length },
  ...columns.map((column) => ({
    ...types[column.type],
    name: nameOf(column),
    repetition_type: 'OPTIONAL' as const,
  })),
];

/** An Apache Parquet file in chunks: one per row group, then the index. */
export async function* parquetFile(
  pages: AsyncIterable<readonly ExportRow[]>,
  columns: readonly ExportColumn[],
): AsyncGenerator<Buffer> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    createdBy: 'sluice',
    kvMetadata: [{ key: costColumn, value: 'integer nano-USD: 1000000000 are 1 USD' }],
  });
  let waiting: ExportRow[] = [];
  for await (const rows of pages) {
    waiting.push(...rows);
    if (waiting.length < ROWS_PER_GROUP) continue;
    await writeGroup(file, waiting, columns);
    waiting = [];
    yield taken(bytes);
  }
  if (waiting.length > 0) await writeGroup(file, waiting, columns);
  file.finish();
  yield taken(bytes);
}

/** Writes a column per turn of the event loop: a complete row group would delay requests of the same process. */
async function writeGroup(
  file: ParquetWriter,
  rows: readonly ExportRow[],
  columns: readonly ExportColumn[],
): Promise<void> {
  const first = file.row_groups.length;
  for (const column of columns) {
    const data = rows.map((row) => stored(column.of(row)));
    await file.write({ columnData: [{ name: nameOf(column), data, offsetIndex: false }], rowGroupSize: rows.length });
    await new Promise((resolve) => setImmediate(resolve));
  }
  mergeGroups(file, first, rows.length);
}

/** The writer has counted each column as a row group of its own. */
function mergeGroups(file: ParquetWriter, first: number, rows: number): void {
  const groups = file.row_groups.splice(first);
  file.row_groups.push({
    columns: groups.flatMap((group) => group.columns),
    total_byte_size: groups.reduce((sum, group) => sum + group.total_byte_size, 0n),
    num_rows: BigInt(rows),
    total_compressed_size: groups.reduce((sum, group) => sum + (group.total_compressed_size ?? 0n), 0n),
  });
  file.num_rows -= BigInt(rows * (groups.length - 1));
}

/** Objects as JSON text. */
function stored(value: ExportValue): ExportValue {
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? JSON.stringify(value) : value;
}

/** The bytes written since the last call, copied because the writer reuses its buffer. */
function taken(bytes: ByteWriter): Buffer {
  const piece = Buffer.from(bytes.getBytes());
  bytes.index = 0;
  return piece;
}
