import { useEffect, useMemo, useState } from 'react';
import type { Interval } from '../generated/graphql.ts';

export const rangeNames = ['24h', '7d', '30d', 'period'] as const;
export type RangeName = (typeof rangeNames)[number];

export const rangeLabels: Readonly<Record<RangeName, string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  period: 'Billing period',
};

export interface Range {
  readonly from: string;
  readonly to: string;
  readonly interval: Interval;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The server accepts no other times. */
export const MIN_TIME_MS = Date.UTC(2020, 0, 1);
export const MAX_TIME_MS = Date.UTC(2100, 0, 1);

/** The account, whose time zone defines days. */
export interface RangeAccount {
  readonly timeZone: string;
  readonly period: { readonly start: string };
}

export function isRangeName(value: unknown): value is RangeName {
  return rangeNames.some((name) => name === value);
}

/** The current range of a name, updated every minute. Contains complete days; today is the last. */
export function useRange(name: RangeName, account: RangeAccount): Range {
  const now = useMinute();
  const { timeZone } = account;
  const { start } = account.period;
  return useMemo(() => {
    const to = new Date(now).toISOString();
    const since = (at: number): string => new Date(at).toISOString();
    if (name === '24h') return { from: since(now - DAY_MS), to, interval: 'HOUR' };
    const from = {
      '7d': since(daysBefore(6, now, timeZone)),
      '30d': since(daysBefore(29, now, timeZone)),
      period: start,
    };
    return { from: from[name], to, interval: 'DAY' };
  }, [name, now, start, timeZone]);
}

/** The midnight this many days before that of `at`. */
export function daysBefore(days: number, at: number, timeZone: string): number {
  // Noon, approximately: immune to daylight saving changes in between.
  return midnight(midnight(at, timeZone) - days * DAY_MS + DAY_MS / 2, timeZone);
}

/** The current calendar month in a time zone. Its end is that of today or later, so that it changes once a day. */
export function monthOf(timeZone: string, now = Date.now()): { readonly from: string; readonly to: string } {
  const day = Number(new Intl.DateTimeFormat('en-US', { timeZone, day: 'numeric' }).format(now));
  const from = daysBefore(day - 1, now, timeZone);
  return { from: new Date(from).toISOString(), to: new Date(daysBefore(-1, now, timeZone)).toISOString() };
}

function useMinute(): number {
  const [minute, setMinute] = useState(nextMinute);
  useEffect(() => {
    const timer = setInterval(() => setMinute(nextMinute()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return minute;
}

/** Includes the current minute in the range. */
function nextMinute(): number {
  return (Math.floor(Date.now() / 60_000) + 1) * 60_000;
}

/** Start of each interval of a range in the account's time zone, including empty ones. */
export function bucketsOf(range: Range, timeZone: string): string[] {
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  const buckets: string[] = [];
  let day = midnight(from, timeZone);
  while (day < to) {
    // Days can have 23 or 25 hours.
    const next = midnight(day + DAY_MS + 2 * HOUR_MS, timeZone);
    // Hours are counted from midnight, like on the server: in some time zones they differ from UTC's.
    const step = range.interval === 'HOUR' ? HOUR_MS : next - day;
    for (let at = day; at < Math.min(next, to); at += step)
      if (Math.min(at + step, next) > from) buckets.push(new Date(at).toISOString());
    day = next;
  }
  return buckets;
}

function midnight(at: number, timeZone: string): number {
  const local = at + offsetOf(at, timeZone);
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  const guess = day - offsetOf(at, timeZone);
  return day - offsetOf(guess, timeZone);
}

export function offsetOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at / 1000) * 1000;
}
