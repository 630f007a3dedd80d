import { DAY_MS, HOUR_MS, MAX_TIME_MS, MIN_TIME_MS, type Range } from '../../../data/range.ts';

/** The limit of the server. */
const MAX_INTERVALS = 3_000;
/** The first and the last interval can be partial. */
const PARTIAL_INTERVALS = 2;
const MAX_HOURLY_MS = 3 * DAY_MS;

/** Why a range cannot be shown; null if it can. */
export function rangeProblem(from: string, to: string): string | null {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(start) || Number.isNaN(end)) return 'Enter both times.';
  if (start >= end) return 'The end must be after the start.';
  if (start < MIN_TIME_MS || end > MAX_TIME_MS) return 'Enter times between 2020 and 2100.';
  const unit = intervalOf(start, end) === 'HOUR' ? HOUR_MS : DAY_MS;
  return Math.ceil((end - start) / unit) + PARTIAL_INTERVALS > MAX_INTERVALS
    ? `Enter a range of at most ${(MAX_INTERVALS - PARTIAL_INTERVALS).toLocaleString('en-US')} days.`
    : null;
}

/** The range between two times of the address; null if it cannot be shown. */
export function customRange(from: string | undefined, to: string | undefined): Range | null {
  if (from === undefined || to === undefined || rangeProblem(from, to) !== null) return null;
  return { from, to, interval: intervalOf(Date.parse(from), Date.parse(to)) };
}

/** Nothing is stored before the earliest time that the server accepts: a period before it is empty. */
export function acceptedTime(at: number): number {
  return Math.max(at, MIN_TIME_MS);
}

function intervalOf(start: number, end: number): Range['interval'] {
  return end - start <= MAX_HOURLY_MS ? 'HOUR' : 'DAY';
}
