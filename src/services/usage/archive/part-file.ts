import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import {
  archiveColumns,
  archivedValue,
  archiveSchema,
  COST_COLUMN,
  type ArchiveRow,
  type ArchiveValue,
} from './archive-columns.ts';
import type { ArchivePage, Position, RowSums } from './archive-rows.ts';

/** Rows that are in memory while a file is written: whichever is reached first. */
const MAX_GROUP_ROWS = 50_000;
const MAX_GROUP_CHARACTERS = 64_000_000;

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/**
 * One Parquet file, made of pages of rows until it has enough of them. The same rows make the same bytes, so that a file which is
 * written again after an interruption replaces an equal one.
 */
export class PartFile {
  readonly #bytes = new ByteWriter();
  readonly #file = new ParquetWriter({
    writer: this.#bytes,
    schema: archiveSchema,
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input, compression) },
    createdBy: 'sluice',
  });
  readonly #maxGroupRows: number;
  #columns: ArchiveValue[][] = archiveColumns.map(() => []);
  #characters = 0;
  #rows = 0;
  #costNano = 0n;
  #last: Position | null = null;

  constructor(maxGroupRows = MAX_GROUP_ROWS) {
    this.#maxGroupRows = maxGroupRows;
  }

  /**
   * The file in chunks: one per row group, then the footer.
   * @param first its first page @param next reads the page after a position @param maxRows no page is begun from this many on
   */
  async *chunks(
    first: ArchivePage,
    next: (after: Position) => Promise<ArchivePage | null>,
    maxRows: number,
  ): AsyncGenerator<Buffer> {
    for (let page: ArchivePage | null = first; page !== null;) {
      for (const row of page.rows) {
        this.#add(row);
        if (this.#isGroupFull()) yield this.#takeGroup();
      }
      this.#last = page.last;
      page = this.#rows < maxRows ? await next(page.last) : null;
    }
    if (this.#groupRows > 0) yield this.#takeGroup();
    this.#file.finish();
    yield this.#taken();
  }

  /** Of all that was written. */
  get sums(): RowSums {
    return { rows: this.#rows, costNano: this.#costNano };
  }

  /** Of its last row. */
  get last(): Position {
    if (this.#last === null) throw new Error('The file has no rows.');
    return this.#last;
  }

  get #groupRows(): number {
    return this.#columns[0]?.length ?? 0;
  }

  #isGroupFull(): boolean {
    return this.#groupRows >= this.#maxGroupRows || this.#characters >= MAX_GROUP_CHARACTERS;
  }

  #add(row: ArchiveRow): void {
    for (const [index, column] of archiveColumns.entries()) {
      const value = archivedValue(column, row);
      this.#columns[index]?.push(value);
      if (typeof value === 'string') this.#characters += value.length;
      else if (typeof value === 'bigint' && column.name === COST_COLUMN) this.#costNano += value;
    }
    this.#rows++;
  }

  #takeGroup(): Buffer {
    const rowGroupSize = this.#groupRows;
    this.#file.write({
      columnData: archiveColumns.map(({ name }, index) => ({
        name,
        data: this.#columns[index] ?? [],
        offsetIndex: false,
      })),
      rowGroupSize,
    });
    this.#columns = archiveColumns.map(() => []);
    this.#characters = 0;
    return this.#taken();
  }

  /** The bytes written since the last call, copied because the writer reuses its buffer. */
  #taken(): Buffer {
    const piece = Buffer.from(this.#bytes.getBytes());
    this.#bytes.index = 0;
    return piece;
  }
}
