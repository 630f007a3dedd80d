import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { SqlQueries } from '../../../database/sql.ts';
import { daySpans, MAX_DAY_MS, partsOfTime, completeDays } from '../spans.ts';
import type { Slot } from './usage-slots.ts';

/** The roll-up parts of some slots as columns, for PostgreSQL's `unnest`. */
export type RolledUpParts = readonly [spans: number[], from: Date[], to: Date[], slots: number[], signs: number[]];

/**
 * Finds the roll-ups that make up these slots: complete days wherever possible.
 * @param slots in order and without gaps
 */
export async function partsOf(
  database: SqlQueries,
  accountId: string,
  slots: readonly Slot[],
  clock: Clock = systemClock,
): Promise<RolledUpParts> {
  const [from, to] = [slots[0]?.from ?? 0, slots.at(-1)?.to ?? 0];
  const days = completeDays(
    await database.query<{ start: number; span: number }>(
      // The days that extend into the first and last slot, and those that may overlap them.
      `select distinct (extract(epoch from bucket) * 1000)::float8 as start, span from usage_rollups
      where account_id = $1 and not by_key and span = any($2::smallint[]) and bucket > $3 and bucket < $4`,
      [accountId, daySpans, new Date(from - 2 * MAX_DAY_MS), new Date(to + MAX_DAY_MS)],
    ),
  );
  const now = clock.now();
  const parts = slots.flatMap((slot, index) =>
    partsOfTime(slot.from, slot.to, days, now).map((part) => ({ ...part, slot: index })),
  );
  return [
    parts.map(({ span }) => span),
    parts.map((part) => new Date(part.from)),
    parts.map((part) => new Date(part.to)),
    parts.map(({ slot }) => slot),
    parts.map(({ sign }) => sign),
  ];
}

/** These rows with their slot and sign, for statements whose first six parameters are the account and its parts. */
export const partsAsTable =
  'unnest($2::smallint[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::smallint[]) as part(part_span, part_from, part_to, slot, sign)';
