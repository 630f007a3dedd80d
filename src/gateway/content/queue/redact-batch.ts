import type { Clock } from '../../../calendar/clock.ts';
import { ContentCapture } from '../content-capture.ts';
import type { FinishedContent } from '../content-log.ts';
import { redactedContent } from '../logged-document.ts';
import { PackedContent } from './packed-content.ts';
import type { QueuedContent } from './waiting-contents.ts';

/** Requests run between slices of this time. */
const SLICE_MS = 1;

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

/** Redacts what is not packed, in slices. What cannot be redacted is dropped. */
export async function redactBatch(taken: readonly QueuedContent[], owner: RedactionOwner): Promise<ContentBatch> {
  const { clock } = owner;
  const batch: ContentBatch = { finished: [], contents: [] };
  let sliceFrom = clock.monotonic();
  for (const content of taken) {
    if (owner.isClosed()) owner.drop(content);
    else if (content instanceof PackedContent) {
      batch.finished.push(content);
      batch.contents.push(content);
    } else if (content instanceof ContentCapture) {
      await redactInto(batch, content, owner);
      if (clock.monotonic() - sliceFrom < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceFrom = clock.monotonic();
    }
  }
  return batch;
}

async function redactInto(batch: ContentBatch, capture: ContentCapture, owner: RedactionOwner): Promise<void> {
  const { eventId, accountId } = capture;
  try {
    const content = await redactedContent(capture);
    // Dropped meanwhile.
    if (content === null || owner.isClosed()) return;
    capture.releaseOriginal();
    batch.contents.push(capture);
    batch.finished.push({ eventId, accountId, content });
  } catch (err) {
    owner.drop(capture);
    owner.log.warn({ err: nameOf(err), event: eventId }, 'content could not be logged');
  }
}

/** The message of an error may contain content. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
