import { interruptedLine } from './interrupted-line.ts';
import { addCommon } from './common-members.ts';
import { eachLine } from './journal-lines.ts';
import type { UsageJournal } from './usage-journal.ts';

const READ_BYTES = 1024 * 1024;

type CorruptRecord = (record: string, error: unknown) => void;

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
  const scratch = Buffer.allocUnsafe(READ_BYTES);
  const interrupted = new Map<string, Begun>();
  for (const segment of journal.segments) {
    if (segment === journal.current) continue;
    const commons = new Map<number, string>();
    for (let offset = 0; offset < segment.size;) {
      const lines = segment.readLines(offset, scratch);
      if (lines.length === 0) break;
      eachLine(lines, (kind, id, record) => {
        if (kind === 'C') tryAddCommon(commons, record, onCorrupt);
        if (kind === 'B') interrupted.set(id, { record, commons });
        if (kind === 'S' || kind === 'W') interrupted.delete(id);
      });
      offset += lines.length;
    }
    // A kill during a write leaves half a line: it was not acknowledged, and nothing follows it.
    segment.dropUnfinishedLine();
  }
  let settled = 0;
  for (const { record, commons } of interrupted.values()) {
    let line: string | null;
    try {
      line = interruptedLine(record, commons);
    } catch (error) {
      onCorrupt(record, error);
      continue;
    }
    if (line === null) continue;
    journal.appendSettleWithoutBegin(line);
    settled++;
  }
  journal.flush();
  return settled;
}

function tryAddCommon(commons: Map<number, string>, record: string, onCorrupt: CorruptRecord): void {
  try {
    addCommon(commons, record);
  } catch (error) {
    onCorrupt(record, error);
  }
}
