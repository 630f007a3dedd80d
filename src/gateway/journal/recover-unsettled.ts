import { interruptedLine } from '../usage-line.ts';
import { addCommon } from './common-members.ts';
import { eachLine } from './journal-lines.ts';
import type { UsageJournal } from './usage-journal.ts';

const READ_BYTES = 1024 * 1024;

type CorruptRecord = (record: string, error: unknown) => void;

interface Begun {
  readonly record: string;
  /** Of its segment. */
  readonly commons: ReadonlyMap<number, string>;
}

/**
 * Resolves what an earlier process left behind in the journal's folder: each begin without a settle is settled as an
 * interrupted request with estimated usage. Its settled records are drained like any other.
 * @param onCorrupt told of each record that the disk did not keep; the others are resolved all the same
 * @returns how many requests had been interrupted
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
        if (kind === 'C') tryToTake(commons, record, onCorrupt);
        if (kind === 'B') interrupted.set(id, { record, commons });
        if (kind === 'S') interrupted.delete(id);
      });
      offset += lines.length;
    }
    // A kill in the middle of a write leaves half a line: nothing that was acknowledged, and nothing that follows it.
    segment.dropUnfinishedLine();
  }
  for (const { record, commons } of interrupted.values()) {
    let line: string;
    try {
      line = interruptedLine(record, commons);
    } catch (error) {
      onCorrupt(record, error);
      continue;
    }
    journal.appendSettled(line);
  }
  journal.flush();
  return interrupted.size;
}

function tryToTake(commons: Map<number, string>, record: string, onSpoilt: CorruptRecord): void {
  try {
    addCommon(commons, record);
  } catch (error) {
    onSpoilt(record, error);
  }
}
