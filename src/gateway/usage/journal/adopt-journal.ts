import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SEGMENT = /^\d{10}\.jsonl$/;
const ADOPTED = 'adopted-';

/**
 * Makes the journal in `from`, which no process has open, a part of the one in `folder`. One rename does it, so that a kill at any
 * time leaves the whole journal with one owner. `mergeAdopted` moves its segments.
 * @returns whether there was one
 */
export function adoptJournal(from: string, folder: string): boolean {
  if (!existsSync(from)) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  renameSync(from, join(folder, `${ADOPTED}${randomUUID()}`));
  return true;
}

/** Moves the segments of adopted journals after those of this one, in their order. Call it before the journal is opened. */
export function mergeAdopted(folder: string): void {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder).sort();
  let sequence = Number.parseInt(names.findLast((name) => SEGMENT.test(name)) ?? '0', 10);
  for (const name of names.filter((each) => each.startsWith(ADOPTED))) {
    const adopted = join(folder, name);
    // It may itself have adopted one, when it was killed.
    mergeAdopted(adopted);
    for (const segment of readdirSync(adopted)
      .sort()
      .filter((each) => SEGMENT.test(each)))
      renameSync(join(adopted, segment), join(folder, `${String(++sequence).padStart(10, '0')}.jsonl`));
    rmSync(adopted, { recursive: true });
  }
}
