import type { Clock } from '../../../calendar/clock.ts';
import { ContentCapture } from '../content-capture.ts';
import type { FinishedContent, RedactedContent } from '../content-log.ts';
import { redactedContent } from '../logged-document.ts';
import { PackedContent } from './packed-content.ts';
import type { QueuedContent } from './waiting-contents.ts';

/** Requests run between slices of this time. */
const SLICE_MS = 1;
/** Bytes that are examined between looks at the clock. */
const CLOCK_BYTES = 16 * 1024;

export interface RedactionOwner {
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /** Whether what is not redacted yet is to be dropped. */
  isClosed(): boolean;
  drop(content: QueuedContent): void;
}

/** Content that is stored together. */
export interface ContentBatch {
  readonly finished: FinishedContent[];
  /** The same in the queue. */
  readonly contents: QueuedContent[];
}

/** Examines and redacts contents in slices. What cannot be redacted is dropped. */
export async function redactBatch(taken: readonly QueuedContent[], owner: RedactionOwner): Promise<ContentBatch> {
  const { clock } = owner;
  const batch: ContentBatch = { finished: [], contents: [] };
  let sliceFrom = clock.monotonic();
  let bytes = 0;
  for (const content of taken) {
    if (owner.isClosed()) {
      owner.drop(content);
      continue;
    }
    const unchanged = content instanceof PackedContent ? content.unchanged() : null;
    if (unchanged !== null) add(batch, content, unchanged);
    else await redactInto(batch, content, owner);
    bytes += content.size;
    if (unchanged !== null && bytes < CLOCK_BYTES) continue;
    bytes = 0;
    if (clock.monotonic() - sliceFrom < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    sliceFrom = clock.monotonic();
  }
  return batch;
}

async function redactInto(batch: ContentBatch, content: QueuedContent, owner: RedactionOwner): Promise<void> {
  try {
    const redacted = await redactedOf(content);
    // Dropped meanwhile.
    if (redacted === null || owner.isClosed()) return;
    if (content instanceof ContentCapture) content.releaseOriginal();
    add(batch, content, redacted);
  } catch (err) {
    owner.drop(content);
    owner.log.warn({ err: nameOf(err), event: content.eventId }, 'content could not be logged');
  }
}

async function redactedOf(content: QueuedContent): Promise<RedactedContent | null> {
  if (content instanceof PackedContent) return content.redacted();
  return content instanceof ContentCapture ? redactedContent(content) : null;
}

/** Of thousands that are held at once: one object for each. */
function add(batch: ContentBatch, queued: QueuedContent, content: RedactedContent): void {
  const { eventId, accountId } = queued;
  const { level, document, redactions, searchText } = content;
  batch.contents.push(queued);
  batch.finished.push({ eventId, accountId, level, document, redactions, searchText });
}

/** The message of an error may contain content. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
