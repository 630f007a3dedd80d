import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects, type FileMetaData } from 'hyparquet';

const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };

/** All rows of a file. The reader makes floating-point numbers of decimals: without their annotation, they are exact integers. */
export async function readParquet(bytes: Buffer): Promise<{ metadata: FileMetaData; rows: Record<string, unknown>[] }> {
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const schema = metadata.schema.map((element) => {
    const { converted_type: annotation, logical_type: _type, ...plain } = element;
    return annotation === 'DECIMAL' ? plain : element;
  });
  return { metadata, rows: await parquetReadObjects({ file, metadata: { ...metadata, schema }, compressors }) };
}
