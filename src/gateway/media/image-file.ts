import type { Readable } from 'node:stream';
import type { UploadedFile } from '../../providers/shared/http/uploaded-file.ts';
import { IMAGE_HEAD_BYTES, readImageInfo, type ImageInfo } from './image-size.ts';

/** An uploaded file with a detected content type, not the one that the client declared. */
export class ImageFile implements UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  /** Null where it is not an image. */
  readonly info: ImageInfo | null;
  readonly #file: UploadedFile;

  private constructor(file: UploadedFile, info: ImageInfo | null) {
    this.#file = file;
    this.info = info;
    this.contentType = info === null ? file.contentType : `image/${info.format}`;
    // OpenAI reads the format from the file extension, which is added or replaced if it does not match.
    this.filename = info === null ? file.filename : named(file.filename, info);
  }

  /** Reads only the part that contains the image size. */
  static async of(file: UploadedFile): Promise<ImageFile> {
    return new ImageFile(file, readImageInfo(await headOf(file.open())));
  }

  get size(): number {
    return this.#file.size;
  }

  open(): Readable {
    return this.#file.open();
  }

  read(): Promise<Buffer> {
    return this.#file.read();
  }
}

async function headOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
    if (length >= IMAGE_HEAD_BYTES) break;
    // Most formats have the size in the first bytes.
    if (readImageInfo(bytes) !== null) break;
  }
  return Buffer.concat(parts);
}

const endings: Readonly<Record<ImageInfo['format'], RegExp>> = {
  png: /\.png$/i,
  jpeg: /\.jpe?g$/i,
  webp: /\.webp$/i,
  gif: /\.gif$/i,
};

function named(filename: string, { format }: ImageInfo): string {
  if (endings[format].test(filename)) return filename;
  return `${filename.replace(/\.[a-z0-9]{1,5}$/i, '') || 'image'}.${format === 'jpeg' ? 'jpg' : format}`;
}
