import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UploadedFile } from './uploaded-file.ts';

/** A field and its value; repeated for several values of one name. */
export type FormField = readonly [name: string, value: string | UploadedFile];

export interface FormBody {
  /** With the boundary. */
  readonly contentType: string;
  /** Bytes. */
  readonly length: number;
  /** Files are read as they are sent, not buffered in memory. */
  readonly stream: Readable;
}

/** Renders a form. Source: RFC 7578. */
export function formBody(fields: readonly FormField[]): FormBody {
  const boundary = `sluice-${randomUUID()}`;
  const parts = fields.map(([name, value]) => ({ head: Buffer.from(partHead(boundary, name, value)), value }));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce((sum, { head, value }) => sum + head.length + sizeOf(value) + LINE.length, end.length);
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const { head, value } of parts) {
      yield head;
      if (typeof value === 'string') yield Buffer.from(value);
      else yield* value.open();
      yield LINE;
    }
    yield end;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    stream: Readable.from(bytes(), { objectMode: false }),
  };
}

const LINE = Buffer.from('\r\n');

function partHead(boundary: string, name: string, value: string | UploadedFile): string {
  const disposition = `--${boundary}\r\ncontent-disposition: form-data; name="${quotable(name)}"`;
  if (typeof value === 'string') return `${disposition}\r\n\r\n`;
  const contentType = value.contentType.replaceAll(/[\r\n]/g, '');
  return `${disposition}; filename="${quotable(value.filename)}"\r\ncontent-type: ${contentType}\r\n\r\n`;
}

/** As browsers escape it (HTML, multipart form data). */
function quotable(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function sizeOf(value: string | UploadedFile): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : value.size;
}
