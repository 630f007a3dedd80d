import { Readable } from 'node:stream';
import type { ImageBytes } from '../shared/media/images-translation.ts';
import type { UploadedFile } from '../shared/http/uploaded-file.ts';

/** An image held in memory, to be sent as a file. */
export function memoryFile(name: string, { mediaType, base64 }: ImageBytes): UploadedFile {
  const bytes = Buffer.from(base64, 'base64');
  return {
    filename: `${name}.${mediaType.split('/', 2)[1] ?? 'png'}`,
    contentType: mediaType,
    size: bytes.length,
    open: () => Readable.from([bytes]),
    read: () => Promise.resolve(bytes),
  };
}
