import type { Readable } from 'node:stream';
import type { UploadedFile } from '../../providers/shared/uploaded-file.ts';
import { PICTURE_HEAD_BYTES, readPictureInfo, type PictureInfo } from './image-size.ts';

/** An uploaded file whose beginning was read: its content type is what it is, not what its caller said. */
export class ImageFile implements UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  /** Null for what is no picture. */
  readonly picture: PictureInfo | null;
  readonly #file: UploadedFile;

  private constructor(file: UploadedFile, picture: PictureInfo | null) {
    this.#file = file;
    this.picture = picture;
    this.contentType = picture === null ? file.contentType : `image/${picture.format}`;
    // OpenAI goes by the ending of a name: one that has none, or another, is given its own.
    this.filename = picture === null ? file.filename : named(file.filename, picture);
  }

  /** Reads no more of the file than tells its size. */
  static async of(file: UploadedFile): Promise<ImageFile> {
    return new ImageFile(file, readPictureInfo(await headOf(file.open())));
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
    if (length >= PICTURE_HEAD_BYTES) break;
    // Most sizes stand in the first bytes.
    if (readPictureInfo(bytes) !== null) break;
  }
  return Buffer.concat(parts);
}

const endings: Readonly<Record<PictureInfo['format'], RegExp>> = {
  png: /\.png$/i,
  jpeg: /\.jpe?g$/i,
  webp: /\.webp$/i,
  gif: /\.gif$/i,
};

function named(filename: string, { format }: PictureInfo): string {
  if (endings[format].test(filename)) return filename;
  return `${filename.replace(/\.[a-z0-9]{1,5}$/i, '') || 'image'}.${format === 'jpeg' ? 'jpg' : format}`;
}
