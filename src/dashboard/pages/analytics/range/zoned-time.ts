import { acceptedTime } from './custom-limits.ts';
import { DAY_MS, HOUR_MS, offsetOf, type Range } from '../../../data/range.ts';

const LOCAL_LENGTH = 'YYYY-MM-DDTHH:mm'.length;

/** A time as the value of a `datetime-local` field. */
export function localInput(at: string, timeZone: string): string {
  const time = Date.parse(at);
  return new Date(time + offsetOf(time, timeZone)).toISOString().slice(0, LOCAL_LENGTH);
}

/** The time of a `datetime-local` field; null if it is empty or invalid. */
export function instantOf(local: string, timeZone: string): string | null {
  const time = Date.parse(`${local}Z`);
  return Number.isNaN(time) ? null : new Date(fromLocal(time, timeZone)).toISOString();
}

/**
 * The period of the same length before a range, shifted by whole hours or days, so that its intervals correspond to those of the
 * range.
 */
export function previousOf({ from, to, interval }: Range, timeZone: string): Range {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const unit = interval === 'HOUR' ? HOUR_MS : DAY_MS;
  const shift = Math.max(1, Math.ceil((end - start) / unit)) * unit;
  const before = (at: number): number =>
    interval === 'HOUR' ? at - shift : fromLocal(at + offsetOf(at, timeZone) - shift, timeZone);
  const first = acceptedTime(before(start));
  // Not empty: the server refuses that.
  const last = Math.max(Math.min(before(end), start), first + 1);
  return {
    from: new Date(first).toISOString(),
    to: new Date(last).toISOString(),
    interval,
  };
}

/** @param local milliseconds as if the local time were UTC */
function fromLocal(local: number, timeZone: string): number {
  const guess = local - offsetOf(local, timeZone);
  return local - offsetOf(guess, timeZone);
}
