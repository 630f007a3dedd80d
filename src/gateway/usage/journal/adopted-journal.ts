import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { UsageSink } from '../usage-record.ts';
import { settledRows } from './journal-lines.ts';
import { UnsettledRequests, type CorruptRecord } from './recover-unsettled.ts';
import { Segment } from './segment.ts';

const BATCH_BYTES = 512 * 1024;
const SEGMENT = /(?:^|\/)\d{10}\.jsonl$/;
/** Lines of interrupted requests that are stored together. */
const BATCH_LINES = 500;

/** Receives what a journal contains. */
export interface ReplaySink extends UsageSink {
  /** Called with the size of each part of the journal that is stored. */
  onProgress?(bytes: number): void;
  /** Called with each corrupt record, which is skipped. */
  onCorrupt: CorruptRecord;
}

/**
 * The journal of a process that ended for good, read by another one that holds the lock of its folder. It is only read until
 * `remove`, so that a full volume can be adopted, and a replay that was killed can be repeated: requests are stored once by their
 * event.
 */
export class AdoptedJournal {
  readonly #segments: readonly Segment[];

  constructor(folder: string) {
    // Nothing is appended, so no segment is rotated by its age.
    this.#segments = segmentPaths(folder).map((path) => new Segment(path, 0));
  }

  /**
   * Stores the settled records, then those of requests that were not settled: they are interrupted, with estimated usage.
   * @returns how many were not settled
   * @throws what the sink throws, and the reason of the signal
   */
  async replay(sink: ReplaySink, signal?: AbortSignal): Promise<number> {
    const unsettled = new UnsettledRequests((record, error) => sink.onCorrupt(record, error));
    for (const segment of this.#segments) await replaySegment(segment, unsettled, sink, signal);
    const lines = unsettled.interruptedLines();
    for (let at = 0; at < lines.length; at += BATCH_LINES) {
      signal?.throwIfAborted();
      await sink.store(Buffer.from(`[${lines.slice(at, at + BATCH_LINES).join(',')}]`), '[]');
    }
    return lines.length;
  }

  /** Removes the files, oldest first: only after a complete `replay`. */
  remove(): void {
    for (const segment of this.#segments) segment.remove();
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}

/** The size of a journal, with those that its process had adopted. */
export function journalBytes(folder: string): number {
  return segmentPaths(folder).reduce(
    (bytes, path) => bytes + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Oldest first. Those of a journal that its process was adopting when it was killed are in folders below. */
function segmentPaths(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => SEGMENT.test(name)).map((name) => join(folder, name));
}

async function replaySegment(
  segment: Segment,
  unsettled: UnsettledRequests,
  sink: ReplaySink,
  signal?: AbortSignal,
): Promise<void> {
  const scratch = Buffer.allocUnsafe(BATCH_BYTES);
  for (let at = 0; ;) {
    signal?.throwIfAborted();
    const lines = segment.readLines(at, scratch);
    if (lines.length === 0) break;
    at += lines.length;
    unsettled.read(segment, lines);
    const settled = settledRows(lines, segment.commons);
    if (settled !== null) await sink.store(settled.rows, settled.commons);
    sink.onProgress?.(lines.length);
    // An instance that adopts the journal of another one serves requests meanwhile.
    await new Promise((resolve) => void setImmediate(resolve));
  }
  // No other segment refers to them.
  segment.commons.clear();
}
