import { ByteChunks } from './byte-chunks.ts';
import type { ContentShare } from '../content-budget.ts';
import type { ContentCapture } from '../content-capture.ts';
import type { FinishedContent, RedactedContent, StoredLevel } from '../content-log.ts';
import { unchangedParts } from '../logged-document.ts';
import type { QueuedContent } from './waiting-contents.ts';

/** Longer content is examined between requests, not at the end of its own. */
const MAX_PACKED_BYTES = 16 * 1024;
/** Of its object, and of what is derived from it while it is stored. Less than a capture takes. */
const RECORD_BYTES = 512;
const noRedactions = {};

/** Content that redaction leaves unchanged, in a chunk with others: nothing else of its request remains in memory. */
export class PackedContent implements QueuedContent, FinishedContent, RedactedContent {
  readonly eventId: string;
  readonly accountId: string;
  readonly #share: ContentShare;
  #chunk: Buffer;
  #start: number;
  #end: number;

  constructor(
    { eventId, accountId }: Pick<FinishedContent, 'eventId' | 'accountId'>,
    share: ContentShare,
    { chunk, start, end }: { readonly chunk: Buffer; readonly start: number; readonly end: number },
  ) {
    this.eventId = eventId;
    this.accountId = accountId;
    this.#share = share;
    this.#chunk = chunk;
    this.#start = start;
    this.#end = end;
  }

  get size(): number {
    return RECORD_BYTES + this.#end - this.#start;
  }

  get content(): RedactedContent {
    return this;
  }

  get level(): StoredLevel {
    return 'full';
  }

  get document(): Buffer {
    return this.#chunk.subarray(this.#start, this.#end);
  }

  get redactions(): Readonly<Record<string, number>> {
    return noRedactions;
  }

  get searchText(): null {
    return null;
  }

  own(): void {
    const { document } = this;
    if (document.length === this.#chunk.length) return;
    // Not of Node's pool, whose buffers are shared, too.
    this.#chunk = Buffer.allocUnsafeSlow(document.length);
    this.#start = 0;
    this.#end = document.copy(this.#chunk);
  }

  release(): void {
    this.#share.free(this.size);
  }
}

/** Packs content at the end of its request, so that few objects wait to be stored: the garbage collector would move them. */
export class ContentPacker {
  readonly #chunks = new ByteChunks();

  /** Releases the capture, and uses part of its memory. @returns null where redaction may change it, and for a long one */
  pack(capture: ContentCapture): PackedContent | null {
    const parts = unchangedParts(capture, MAX_PACKED_BYTES);
    if (parts === null) return null;
    let length = 0;
    for (const part of parts) length += part.length;
    const start = this.#chunks.reserve(length);
    const { chunk } = this.#chunks;
    let end = start;
    for (const part of parts) end += part.copy(chunk, end);
    return new PackedContent(capture, capture.releaseExcept(RECORD_BYTES + length), { chunk, start, end });
  }
}
