/** Possible lengths of a day with clock changes, in minutes. Days of other lengths are counted by UTC. */
export const daySpans = [1_380, 1_410, 1_440, 1_470, 1_500] as const;
/** Time zones differ from UTC by multiples of a quarter hour, so that any day consists of quarter hours. */
export const QUARTER_SPAN = 15;
/**
 * The length of a roll-up interval in minutes. Quarter hours start at multiples since the Unix epoch; days start when they did
 * for the account at the time of the request, independent of its current time zone.
 */
export type Span = (typeof daySpans)[number] | typeof QUARTER_SPAN;

const MINUTE_MS = 60_000;
const QUARTER_MS = QUARTER_SPAN * MINUTE_MS;
export const MAX_DAY_MS = Math.max(...daySpans) * MINUTE_MS;

/** Buckets of one span, from `from` up to, not including, `to`; in milliseconds since the epoch. */
export interface TimeSegment {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
}

/** Buckets that are added, or subtracted if `sign` is -1. */
export interface Part extends TimeSegment {
  readonly sign: 1 | -1;
}

/**
 * The days that contain all requests of their time, in order. Each request is counted in one day: where two days overlap
 * because the time zone changed, both are incomplete and cannot be used.
 * @param counted every day with requests, in any order; `start` in milliseconds since the epoch
 */
export function completeDays(counted: readonly { readonly start: number; readonly span: number }[]): TimeSegment[] {
  const days = counted
    .flatMap(({ start: from, span }): TimeSegment[] => {
      const known = daySpans.find((each) => each === span);
      return known === undefined ? [] : [{ span: known, from, to: from + known * MINUTE_MS }];
    })
    .toSorted((a, b) => a.from - b.from);
  let until = -Infinity;
  return days.filter(({ from, to }, index) => {
    const isAlone = from >= until && to <= (days[index + 1]?.from ?? Infinity);
    until = Math.max(until, to);
    return isAlone;
  });
}

/**
 * The parts that add up to a time range between quarter hours: the days within it and, for days that extend beyond it, the
 * smaller of the quarter hours inside or the day minus those outside. Sums are integers, so that subtraction is exact.
 * @param days that overlap neither each other nor another day, in order
 * @param now the end of available data
 */
export function partsOfTime(from: number, to: number, days: readonly TimeSegment[], now: number): Part[] {
  const parts: Part[] = [];
  const quarters = (start: number, end: number, sign: Part['sign']): void => {
    if (start < end) parts.push({ span: QUARTER_SPAN, from: start, to: end, sign });
  };
  let at = from;
  for (const day of days) {
    if (day.to <= at) continue;
    if (day.from >= to) break;
    quarters(at, day.from, 1);
    const [first, end] = [Math.max(day.from, at), Math.min(day.to, to)];
    const outside = first - day.from + Math.max(Math.min(day.to, now) - end, 0);
    if (outside < end - first) {
      quarters(day.from, first, -1);
      const last = parts.at(-1);
      if (last?.span === day.span && last.to === day.from) parts[parts.length - 1] = { ...last, to: day.to };
      else parts.push({ ...day, sign: 1 });
      quarters(end, day.to, -1);
    } else quarters(first, end, 1);
    at = end;
  }
  quarters(at, to, 1);
  return parts;
}

/** The start of the quarter hour that contains a time. */
export function quarterBefore(at: number): number {
  return Math.floor(at / QUARTER_MS) * QUARTER_MS;
}

/** The first start of a quarter hour at or after a time. */
export function quarterAfter(at: number): number {
  return Math.ceil(at / QUARTER_MS) * QUARTER_MS;
}
