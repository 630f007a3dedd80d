import type { SeededRandom } from '../text/seeded-random.ts';
import type { MergedSchema } from './merged-schema.ts';

/** The range above the minimum from which an unbounded number is generated. */
const SPREAD = 40;
const MAX_ATTEMPTS = 64;
/**
 * A larger bound describes how numbers are stored, not the intended values: zod's `.int()` is bounded by ±(2^53 - 1).
 */
const MAX_USABLE_BOUND = 1_000_000;

/**
 * A number within the bounds, and a multiple where required; one of `wished` (numbers that the user wrote) if it fits.
 */
export function numberValue(
  schema: MergedSchema,
  integer: boolean,
  random: SeededRandom,
  hinted: readonly number[],
): number {
  const fits = (value: number): boolean => numberFits(value, schema, integer);
  const hint = hinted.find(fits);
  if (hint !== undefined) return hint;
  const step = stepOf(schema.multipleOf, integer);
  const [low, high] = usableBounds(schema);
  return step === undefined ? realBetween(low, high, random, fits) : multipleBetween(low, high, step, random, fits);
}

function usableBounds({ lower, upper }: MergedSchema): [low: number, high: number] {
  const low = Math.max(lower.get('minimum') ?? -Infinity, lower.get('exclusiveMinimum') ?? -Infinity);
  const high = Math.min(upper.get('maximum') ?? Infinity, upper.get('exclusiveMaximum') ?? Infinity);
  return [low < -MAX_USABLE_BOUND ? -Infinity : low, high > MAX_USABLE_BOUND ? Infinity : high];
}

export function numberFits(value: number, schema: MergedSchema, integer: boolean): boolean {
  const { lower, upper, multipleOf } = schema;
  return (
    Number.isFinite(value) &&
    (!integer || Number.isInteger(value)) &&
    value >= (lower.get('minimum') ?? -Infinity) &&
    value > (lower.get('exclusiveMinimum') ?? -Infinity) &&
    value <= (upper.get('maximum') ?? Infinity) &&
    value < (upper.get('exclusiveMaximum') ?? Infinity) &&
    (multipleOf === undefined || Number.isInteger(value / multipleOf))
  );
}

function stepOf(multipleOf: number | undefined, integer: boolean): number | undefined {
  if (!integer) return multipleOf;
  if (multipleOf === undefined) return 1;
  // A fraction such as 0.5 does not constrain an integer beyond one of its integer multiples.
  let step = multipleOf;
  for (let factor = 1; factor <= 1_000 && !Number.isInteger(step); factor += 1) step = multipleOf * factor;
  return Number.isInteger(step) ? step : 1;
}

function multipleBetween(
  low: number,
  high: number,
  step: number,
  random: SeededRandom,
  fits: (value: number) => boolean,
): number {
  const first = Number.isFinite(low) ? Math.ceil(low / step) : Number.isFinite(high) ? Math.floor(high / step) : 1;
  const down = !Number.isFinite(low) && Number.isFinite(high);
  const room = Number.isFinite(high) && !down ? Math.max(0, Math.floor(high / step) - first) : SPREAD;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const offset = attempt < MAX_ATTEMPTS / 2 ? random.below(Math.min(room, SPREAD) + 1) : attempt - MAX_ATTEMPTS / 2;
    const value = (first + (down ? -offset : offset)) * step;
    if (fits(value)) return value + 0;
  }
  return first * step;
}

function realBetween(low: number, high: number, random: SeededRandom, fits: (value: number) => boolean): number {
  const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - SPREAD : 0;
  const to = Number.isFinite(high) ? Math.min(high, from + SPREAD) : from + SPREAD;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const exact = from + random.next() * (to - from);
    const rounded = Math.round(exact * 100) / 100;
    if (fits(rounded)) return rounded;
    if (fits(exact)) return exact;
  }
  return [from, to, from / 2 + to / 2].find(fits) ?? from;
}
