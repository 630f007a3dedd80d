import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadataAsync, parquetRead, type AsyncBuffer, type FileMetaData } from 'hyparquet';
import type { ArchiveFiles } from '../../../storage/blobs/blob-files.ts';
import { COST_COLUMN } from './archive-columns.ts';
import type { RowSums } from './archive-rows.ts';

export interface ReadPart extends RowSums {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** What a stored file contains, read from its place to its end; null if there is none. @throws if it is no such file */
export async function readPart(files: ArchiveFiles, name: string): Promise<ReadPart | null> {
  const bytes = await files.sizeOf(name);
  const sha256 = bytes === null ? null : await checksumOf(files, name, bytes);
  if (bytes === null || sha256 === null) return null;
  const file: AsyncBuffer = { byteLength: bytes, slice: (start, end) => slice(files, name, start, end ?? bytes) };
  const metadata = withIntegerCost(await parquetMetadataAsync(file));
  let costNano = 0n;
  let costs = 0;
  await parquetRead({
    file,
    metadata,
    columns: [COST_COLUMN],
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    onChunk: ({ columnData }) => {
      costs += columnData.length;
      for (const cost of columnData) if (typeof cost === 'bigint') costNano += cost;
    },
  });
  const rows = Number(metadata.num_rows);
  if (costs !== rows) throw new Error(`${name} has ${rows} rows and ${costs} costs`);
  return { bytes, sha256, rows, costNano };
}

async function checksumOf(files: ArchiveFiles, name: string, bytes: number): Promise<string | null> {
  const stream = await files.open(name, { first: 0, last: bytes - 1 });
  if (stream === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

async function slice(files: ArchiveFiles, name: string, start: number, end: number): Promise<ArrayBuffer> {
  const first = start < 0 ? Math.max(0, end + start) : start;
  const stream = await files.open(name, { first, last: end - 1 });
  if (stream === null) throw new Error(`${name} was removed`);
  return Uint8Array.from(await buffer(stream)).buffer;
}

/** The reader returns decimals as floating-point numbers: without the annotation, they are exact integers. */
function withIntegerCost(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (element.name !== COST_COLUMN) return element;
    const { converted_type: _decimal, logical_type: _type, ...plain } = element;
    return plain;
  });
  return { ...metadata, schema };
}
