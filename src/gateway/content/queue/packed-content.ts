import { ByteChunks } from './byte-chunks.ts';
import type { ContentShare } from '../content-budget.ts';
import type { ContentCapture } from '../content-capture.ts';
import type { ContentPolicy, RedactedContent } from '../content-log.ts';
import { redactedBodies, unchangedContent } from '../logged-document.ts';
import { bodiesIn, isUnchanged, partsOf, receivedBodies, type BodyPlaces } from '../received-bodies.ts';
import type { QueuedContent } from './waiting-contents.ts';

/** The buffers of longer bodies are kept: copying them would take more time than the objects of their request. */
const MAX_PACKED_BYTES = 16 * 1024;
/** Of its object, and of what is derived from it while it is stored. Less than a capture takes. */
const RECORD_BYTES = 512;

const nothing = Buffer.alloc(0);

/** Where a document is in a chunk. */
interface Place {
  readonly chunk: Buffer;
  readonly start: number;
  readonly end: number;
  readonly requestLength: number;
}

/**
 * Bodies in a chunk with others, joined to the document that they make: nothing else of their request remains in memory. They are
 * examined, and redacted, when they are stored: a request does not wait for that, and where the store is stalled, nothing is done.
 */
export class PackedContent implements QueuedContent, BodyPlaces {
  readonly eventId: string;
  readonly accountId: string;
  readonly isComplete: boolean;
  readonly requestLength: number;
  isEnded = false;
  readonly #policy: ContentPolicy;
  readonly #share: ContentShare;
  #chunk: Buffer;
  #start: number;
  #end: number;

  constructor(
    { eventId, accountId, policy, isComplete }: ContentCapture,
    share: ContentShare,
    { chunk, start, end, requestLength }: Place,
  ) {
    this.eventId = eventId;
    this.accountId = accountId;
    this.#policy = policy;
    this.isComplete = isComplete;
    this.#share = share;
    this.#chunk = chunk;
    this.#start = start;
    this.#end = end;
    this.requestLength = requestLength;
  }

  get size(): number {
    return RECORD_BYTES + this.#end - this.#start;
  }

  /** What is stored where redaction changes nothing; null where it may. */
  unchanged(): RedactedContent | null {
    const document = this.#document;
    return isUnchanged(document, this, this.#policy) ? unchangedContent(document) : null;
  }

  /** What is stored where redaction may change something. */
  redacted(): Promise<RedactedContent> {
    return redactedBodies(bodiesIn(this.#document, this), this.#policy);
  }

  own(): void {
    const document = this.#document;
    if (document.length === this.#chunk.length) return;
    // Not of Node's pool, whose buffers are shared, too.
    this.#chunk = Buffer.allocUnsafeSlow(document.length);
    this.#start = 0;
    this.#end = document.copy(this.#chunk);
  }

  release(): void {
    this.#share.free(this.size);
    this.#chunk = nothing;
  }

  get #document(): Buffer {
    return this.#chunk.subarray(this.#start, this.#end);
  }
}

/** Packs content at the end of its request, so that few objects wait to be stored: the garbage collector would move them. */
export class ContentPacker {
  readonly #chunks = new ByteChunks();

  /** Releases the capture, and uses part of its memory. @returns null where more than bodies are to be stored, and for long ones */
  pack(capture: ContentCapture): PackedContent | null {
    const bodies = receivedBodies(capture, MAX_PACKED_BYTES);
    if (bodies === null) return null;
    const parts = partsOf(bodies);
    let length = 0;
    for (const part of parts) length += part.length;
    const start = this.#chunks.reserve(length);
    const { chunk } = this.#chunks;
    let end = start;
    for (const part of parts) end += part.copy(chunk, end);
    const share = capture.releaseExcept(RECORD_BYTES + length);
    return new PackedContent(capture, share, { chunk, start, end, requestLength: bodies.request.length });
  }
}
