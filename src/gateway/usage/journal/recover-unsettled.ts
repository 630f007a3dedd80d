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
  const scratch = Buffer.allocUnsafe(READ_BYTES);
  const unsettled = new UnsettledRequests(onCorrupt);
  for (const segment of journal.segments) {
    if (segment === journal.current) continue;
    for (let offset = 0; offset < segment.size;) {
      const lines = segment.readLines(offset, scratch);
      if (lines.length === 0) break;
      unsettled.read(segment, lines);
      offset += lines.length;
    }
    // A kill during a write leaves half a line: it was not acknowledged, and nothing follows it.
    segment.dropUnfinishedLine();
  }
  const lines = unsettled.interruptedLines();
  for (const line of lines) journal.appendSettleWithoutBegin(line);
  journal.flush();
  return lines.length;
}

/** Finds requests that were begun and not settled, in the lines of a journal, which are read in their order. */
export class UnsettledRequests {
  readonly #onCorrupt: CorruptRecord;
  readonly #begun = new Map<string, Begun>();
  #segment: Segment | null = null;
  #commons = new Map<number, string>();

  /** @param onCorrupt called with each corrupt record; the others are resolved all the same */
  constructor(onCorrupt: CorruptRecord) {
    this.#onCorrupt = onCorrupt;
  }

  /** @param lines complete lines of the segment */
  read(segment: Segment, lines: Buffer): void {
    if (segment !== this.#segment) this.#commons = new Map();
    this.#segment = segment;
    const commons = this.#commons;
    eachLine(lines, (kind, id, record) => {
      if (kind === 'C') tryAddCommon(commons, record, this.#onCorrupt);
      if (kind === 'B') this.#begun.set(id, { record, commons });
      if (kind === 'S' || kind === 'W') this.#begun.delete(id);
    });
  }

  /** The settle lines of these requests: interrupted, with estimated usage. */
  interruptedLines(): string[] {
    return [...this.#begun.values()].flatMap(({ record, commons }) => {
      try {
        return interruptedLine(record, commons) ?? [];
      } catch (error) {
        this.#onCorrupt(record, error);
        return [];
      }
    });
  }
}

function tryAddCommon(commons: Map<number, string>, record: string, onCorrupt: CorruptRecord): void {
  try {
    addCommon(commons, record);
  } catch (error) {
    onCorrupt(record, error);
  }
}
