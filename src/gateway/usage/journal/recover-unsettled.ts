import { interruptedLine } from './interrupted-line.ts';
import { addCommon } from './common-members.ts';
import { eachLine } from './journal-lines.ts';
import type { Segment } from './segment.ts';
import type { UsageJournal } from './usage-journal.ts';

const READ_BYTES = 1024 * 1024;

export type CorruptRecord = (record: string, error: unknown) => void;

interface Begun {
  readonly record: string;
  /** Shared members of its segment. */
  readonly commons: ReadonlyMap<number, string>;
}

/**
 * Resolves the requests that an earlier process left unsettled: each is settled as interrupted with estimated usage.
 * Its settled records are drained like any other.
 * @param onCorrupt called with each corrupt record; the others are resolved all the same
 * @returns the number of requests settled as interrupted
 */
export function recoverUnsettled(journal: UsageJournal, onCorrupt: CorruptRecord): number {
  const earlier = journal.segments.filter((segment) => segment !== journal.current);
  const lines = interruptedLines(earlier, onCorrupt);
  // A kill during a write leaves half a line: it was not acknowledged, and nothing follows it.
  for (const segment of earlier) segment.dropUnfinishedLine();
  for (const line of lines) journal.appendSettleWithoutBegin(line);
  journal.flush();
  return lines.length;
}

/**
 * The settle lines of the requests that these segments begin and do not settle. It changes nothing.
 * @param onCorrupt called with each corrupt record
 */
export function interruptedLines(segments: readonly Segment[], onCorrupt: CorruptRecord): string[] {
  const begun = unsettledIn(segments, onCorrupt);
  return [...begun].flatMap(({ record, commons }) => {
    try {
      return interruptedLine(record, commons) ?? [];
    } catch (error) {
      onCorrupt(record, error);
      return [];
    }
  });
}

function unsettledIn(segments: readonly Segment[], onCorrupt: CorruptRecord): Iterable<Begun> {
  const scratch = Buffer.allocUnsafe(READ_BYTES);
  const unsettled = new Map<string, Begun>();
  for (const segment of segments) {
    const commons = new Map<number, string>();
    for (let offset = 0; offset < segment.size;) {
      const lines = segment.readLines(offset, scratch);
      if (lines.length === 0) break;
      eachLine(lines, (kind, id, record) => {
        if (kind === 'C') tryAddCommon(commons, record, onCorrupt);
        if (kind === 'B') unsettled.set(id, { record, commons });
        if (kind === 'S' || kind === 'W') unsettled.delete(id);
      });
      offset += lines.length;
    }
  }
  return unsettled.values();
}

function tryAddCommon(commons: Map<number, string>, record: string, onCorrupt: CorruptRecord): void {
  try {
    addCommon(commons, record);
  } catch (error) {
    onCorrupt(record, error);
  }
}
