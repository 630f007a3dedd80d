import type { Database } from '../../database/database.ts';
import { daySpans, LONGEST_DAY_MS, stretches, wholeDays } from './spans.ts';
import type { Slot } from './usage-slots.ts';

/** Columns of the parts of the roll-ups that make up some slots, side by side as PostgreSQL's `unnest` takes them. */
export type RolledUpParts = readonly [spans: number[], from: Date[], to: Date[], slots: number[]];

/**
 * Finds what of an account's roll-ups makes up these slots: whole days wherever they were counted as such.
 * @param slots in their order, without gaps
 */
export async function partsOf(database: Database, accountId: string, slots: readonly Slot[]): Promise<RolledUpParts> {
  const [from, to] = [slots[0]?.from ?? 0, slots.at(-1)?.to ?? 0];
  const days = wholeDays(
    await database.query<{ start: number; span: number }>(
      `select distinct (extract(epoch from bucket) * 1000)::float8 as start, span from usage_rollups
      where account_id = $1 and not by_key and span = any($2::smallint[]) and bucket > $3 and bucket < $4`,
      [accountId, daySpans, new Date(from - LONGEST_DAY_MS), new Date(to)],
    ),
  );
  const parts = slots.flatMap((slot, index) => {
    const own = days.filter((day) => day.from >= slot.from && day.to <= slot.to);
    return stretches(slot.from, slot.to, own).map((stretch) => ({ ...stretch, slot: index }));
  });
  return [
    parts.map(({ span }) => span),
    parts.map((part) => new Date(part.from)),
    parts.map((part) => new Date(part.to)),
    parts.map(({ slot }) => slot),
  ];
}
