import { createHash, type Hash } from 'node:crypto';
import { ResultCollector, type GenerationResult } from '../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../protocols/canonical/stream-part.ts';
import { outputSize } from '../relayed-output.ts';

const FIRST_BYTES = 1_024;

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
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
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
      this.#buffer = Buffer.alloc(0);
      this.#length = 0;
      return;
    }
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) this.#grow(needed);
    // A copy: the socket's buffer, of which these are a part, is released.
    bytes.copy(this.#buffer, this.#length);
    this.#length = needed;
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
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    this.#parts = null;
    this.#result = null;
    this.#partBytes = 0;
  }

  /** Once it has ended. */
  take(): Answer {
    const isLong = this.#isTooLong && this.#hash === null;
    return {
      contentType: this.#contentType,
      bytes: this.#buffer.subarray(0, this.#length),
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

  get #isTooLong(): boolean {
    return this.#total > this.#maxBytes;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(this.#length === 0 ? Math.max(needed, FIRST_BYTES) : needed * 2);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Whether a body is text; a body without a type is JSON. */
function isText(contentType: string): boolean {
  return contentType === '' || /^(?:text\/|application\/(?:json|x-ndjson|[\w.+-]+\+json))/i.test(contentType);
}
