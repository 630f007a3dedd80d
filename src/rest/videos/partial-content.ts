import { Transform, type Readable, type TransformCallback } from 'node:stream';
import type { VideoContent } from '../../gateway/capabilities/video/video.ts';
import { resolveRange, type RequestedRange } from '../files/byte-range.ts';

/** Applies a range to content that the provider returned completely. Source: RFC 9110, 14. */
export function partOf(content: VideoContent, range: RequestedRange | null, ifRange: string | undefined): VideoContent {
  const length = Number(content.headers['content-length'] ?? NaN);
  if (range === null || content.status !== 200 || !Number.isSafeInteger(length) || !isSame(content, ifRange))
    return content;
  const bounds = resolveRange(range, length);
  if (bounds === null) {
    content.body.destroy();
    const { 'content-type': type = 'application/octet-stream' } = content.headers;
    const headers = { 'content-type': type, 'content-length': '0', 'content-range': `bytes */${length}` };
    return { status: 416, headers, body: content.body };
  }
  const { first, last } = bounds;
  const headers = {
    ...content.headers,
    'content-length': String(last - first + 1),
    'content-range': `bytes ${first}-${last}/${length}`,
  };
  return { status: 206, headers, body: sliceOf(content.body, first, last) };
}

/** Whether `If-Range` matches: by a strong entity tag, or by the exact date. */
function isSame({ headers }: VideoContent, ifRange: string | undefined): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('W/')) return false;
  return ifRange === (ifRange.startsWith('"') ? headers.etag : headers['last-modified']);
}

/** Passes the bytes from `first` to `last`, then closes the source. */
function sliceOf(source: Readable, first: number, last: number): Readable {
  const slice = new Slice(first, last, () => source.destroy());
  source.on('error', (error) => slice.destroy(error));
  // A client that disconnects early closes the source too.
  slice.on('close', () => source.destroy());
  return source.pipe(slice);
}

class Slice extends Transform {
  readonly #first: number;
  readonly #last: number;
  readonly #over: () => void;
  #at = 0;

  constructor(first: number, last: number, over: () => void) {
    super();
    this.#first = first;
    this.#last = last;
    this.#over = over;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const start = Math.max(0, this.#first - this.#at);
    const end = Math.min(chunk.length, this.#last + 1 - this.#at);
    this.#at += chunk.length;
    if (end > start) this.push(chunk.subarray(start, end));
    if (this.#at > this.#last && !this.writableEnded) {
      this.end();
      this.#over();
    }
    done();
  }
}
