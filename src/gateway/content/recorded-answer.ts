import { createHash, type Hash } from 'node:crypto';
import { ResultCollector, type GenerationResult } from '../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../protocols/canonical/stream-part.ts';
import { outputSize } from '../relayed-output.ts';

const FIRST_BYTES = 1_024;
const nothing = Buffer.alloc(0);
const BRACE = 0x7b;
/** The type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';

/** Media, of which only this is logged. */
export interface MediaReference {
  readonly contentType: string;
  readonly bytes: number;
  /** Hexadecimal; null where it is not known. */
  readonly sha256: string | null;
}

/** As redaction writes it of media in JSON. */
export function referenceTo({ contentType, bytes, sha256 }: MediaReference): string {
  return `[media:${contentType}; ${bytes} bytes${sha256 === null ? '' : `; sha256:${sha256}`}]`;
}

/** The answer to a request, as it was sent to its client. */
export interface Answer {
  readonly contentType: string;
  /** Of text, as it was sent. */
  readonly bytes: Buffer;
  /** Of a response that was translated. */
  readonly parts: ResultCollector | null;
  readonly result: GenerationResult | null;
  readonly media: MediaReference | null;
  /** The length of a text that is too long to be logged; 0 otherwise. */
  readonly tooLong: number;
}

/** Records an answer while it is sent. Only the length and a digest of media are recorded. */
export class RecordedAnswer {
  readonly #maxBytes: number;
  #contentType = '';
  #buffer: Buffer = nothing;
  #length = 0;
  /** Whether the buffer may be part of a longer one, of the socket. */
  #isShared = false;
  #total = 0;
  #hash: Hash | null = null;
  #parts: ResultCollector | null = null;
  #partBytes = 0;
  #result: GenerationResult | null = null;

  /** @param maxBytes of a text that is logged */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in memory; parts approximately. */
  get size(): number {
    return this.#buffer.length + this.#partBytes;
  }

  setContentType(contentType: string): void {
    this.#contentType = contentType;
    if (!isText(contentType)) this.#hash = createHash('sha256');
  }

  append(bytes: Buffer): void {
    this.#total += bytes.length;
    if (this.#hash !== null) {
      this.#hash.update(bytes);
      return;
    }
    if (this.#isTooLong) {
      this.#buffer = nothing;
      this.#length = 0;
      return;
    }
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) this.#grow(needed);
    // A copy: the socket's buffer, of which these are a part, is released.
    bytes.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** The last bytes. They are not copied where they are all: `own` does that, if they are not stored at once. */
  appendLast(bytes: Buffer): void {
    const isAll = this.#total === 0 && this.#hash === null && bytes.length <= this.#maxBytes;
    if (!isAll) return this.append(bytes);
    this.#total = bytes.length;
    this.#length = bytes.length;
    this.#buffer = bytes;
    this.#isShared = true;
  }

  /** Copies bytes that would keep the socket's buffer in memory. */
  own(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#buffer = Buffer.from(this.#buffer);
  }

  appendParts(parts: readonly StreamPart[]): void {
    const size = outputSize(parts);
    this.#total += size;
    if (this.#isTooLong) {
      this.#parts = null;
      this.#partBytes = 0;
      return;
    }
    this.#partBytes += size;
    (this.#parts ??= new ResultCollector()).add(parts);
  }

  setResult(result: GenerationResult): void {
    this.#result = result;
  }

  /** Releases what is recorded. */
  release(): void {
    this.#buffer = nothing;
    this.#length = 0;
    this.#parts = null;
    this.#result = null;
    this.#partBytes = 0;
  }

  /** A JSON object that was sent as it is; null for anything else. */
  get object(): Buffer | null {
    if (this.#hash !== null || this.#parts !== null || this.#result !== null || this.#isTooLong) return null;
    if (this.#buffer[0] !== BRACE || this.#contentType.startsWith(EVENT_STREAM)) return null;
    return this.#text;
  }

  /** Once it has ended. */
  take(): Answer {
    const isLong = this.#isTooLong && this.#hash === null;
    return {
      contentType: this.#contentType,
      bytes: this.#text,
      parts: this.#parts,
      result: this.#result,
      media: this.#hash && {
        contentType: this.#contentType,
        bytes: this.#total,
        sha256: this.#hash.digest('hex'),
      },
      tooLong: isLong ? this.#total : 0,
    };
  }

  get #text(): Buffer {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  get #isTooLong(): boolean {
    return this.#total > this.#maxBytes;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(this.#length === 0 ? Math.max(needed, FIRST_BYTES) : needed * 2);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Whether a body is text; a body without a type is JSON, as most are. */
function isText(contentType: string): boolean {
  return (
    contentType === '' ||
    contentType === 'application/json' ||
    /^(?:text\/|application\/(?:json|x-ndjson|[\w.+-]+\+json))/i.test(contentType)
  );
}
