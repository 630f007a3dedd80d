const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dateFormats = new Map<string | undefined, Intl.DateTimeFormat>();

/** With the required precision: `$12.30`, `$0.50`, `$0.000123`. */
export function money(amount: string | number): string {
  const value = Number(amount);
  return value === 0 || Math.abs(value) >= 1 ? cents.format(value) : small(value);
}

const SIGNIFICANT_DIGITS = 3;
const MAX_FRACTION_DIGITS = 20;
const smallFormats = new Map<number, Intl.NumberFormat>();

/** The format's option for significant digits overrides its minimum fraction digits: `$0.5`. */
function small(value: number): string {
  const digits = Math.min(MAX_FRACTION_DIGITS, SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(Math.abs(value))));
  const format =
    smallFormats.get(digits) ??
    new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: 2,
      maximumFractionDigits: digits,
    });
  smallFormats.set(digits, format);
  return format.format(value);
}

export function count(value: number): string {
  return whole.format(value);
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const BYTES_PER_UNIT = 1_024;

/** In the units of the server's limits, of 1,024 each: `1.5 MB`. */
export function fileSize(bytes: number): string {
  let value = bytes;
  let power = 0;
  // What rounds to 1,024 is one of the next unit.
  while (Math.round(value) >= BYTES_PER_UNIT && power < byteUnits.length - 1) {
    value /= BYTES_PER_UNIT;
    power += 1;
  }
  return `${tenths.format(value)} ${byteUnits[power]}`;
}

/** For axes and tiles: `12.3K`. */
export function short(value: number): string {
  return value < 10_000 ? whole.format(value) : compact.format(value);
}

export function percent(part: number, all: number): string {
  if (all === 0) return '0%';
  const value = (part / all) * 100;
  return `${value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1)}%`;
}

/** A score from 0 to 1. It is rounded down, so that only the best one is `100%`. */
export function scorePercent(score: number): string {
  // A product such as 0.57 × 1000 may be just below the number that it means.
  const value = Math.floor(score * 1_000 + 1e-6) / 10;
  return value === 0 && score > 0 ? '<0.1%' : `${tenths.format(value)}%`;
}

/** Tokens per second, without the unit. */
export function speed(tokensPerSecond: number): string {
  return tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : count(Math.round(tokensPerSecond));
}

/** Milliseconds below a second, then seconds, then minutes. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function localTime(at: string): string {
  return dateTime.format(new Date(at));
}

/** @param timeZone default: the browser's */
export function localDate(at: string, timeZone?: string): string {
  const format =
    dateFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone });
  dateFormats.set(timeZone, format);
  return format.format(new Date(at));
}

/** A date without a time zone, such as a release date. @param at its start in UTC */
export function calendarDate(at: string): string {
  return localDate(at, 'UTC');
}

/** `2026-11-21 20:08:15 UTC`. */
export function utc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const steps = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [30, 'day'],
  [12, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`, `in 2 days`. */
export function fromNow(at: string, now = Date.now()): string {
  let value = (Date.parse(at) - now) / 1000;
  if (Math.abs(value) < 5) return 'just now';
  for (const [size, unit] of steps) {
    if (Math.abs(value) < size) return relative.format(Math.round(value), unit);
    value /= size;
  }
  return localDate(at);
}

/** `SUCCEEDED` → `Succeeded`, `json_schema` → `JSON schema`. */
export function words(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace('json', 'JSON')
    .replace(/\bapi\b/, 'API');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
