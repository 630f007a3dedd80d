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
    writeGroup(file, waiting, columns);
    waiting = [];
    yield taken(bytes);
  }
  if (waiting.length > 0) writeGroup(file, waiting, columns);
  file.finish();
  yield taken(bytes);
}

function writeGroup(file: ParquetWriter, rows: readonly ExportRow[], columns: readonly ExportColumn[]): void {
  file.write({
    columnData: columns.map((column) => ({
      name: nameOf(column),
      data: rows.map((row) => stored(column.of(row))),
      offsetIndex: false,
    })),
    rowGroupSize: rows.length,
  });
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
