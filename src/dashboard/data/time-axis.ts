import type { Interval } from '../generated/graphql.ts';

/** The intervals of a chart. */
export interface ChartTime {
  /** Start of each interval. */
  readonly at: readonly string[];
  readonly interval: Interval;
  /** The account's time zone, which defines days. */
  readonly timeZone: string;
}

export interface TimeAxis {
  /** Evenly spaced labels at round hours or days. @param max maximum number of labels */
  ticks(max: number): readonly string[];
  /** Axis label: `14:00`, `3 Nov`. */
  tickText(at: string): string;
  /** Complete label: `3 Nov, 14:00`. */
  text(at: string): string;
}

const DAY_MS = 86_400_000;
const hourSteps = [1, 2, 3, 4, 6, 12, 24];
const daySteps = [1, 2, 3, 7, 14];
const monthSteps = [1, 2, 3, 6, 12];

interface LocalTime {
  readonly hour: number;
  /** 1 to 31. */
  readonly day: number;
  readonly month: number;
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
}

/** @param viewerZone default: the browser's. Hours are shown in it, like all times; days are the account's */
export function timeAxis({ at, interval, timeZone }: ChartTime, viewerZone?: string): TimeAxis {
  const zone = interval === 'HOUR' ? viewerZone : timeZone;
  const localTime = localTimeIn(zone);
  const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone });
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  const isHourly = interval === 'HOUR';
  const dateOf = (each: string): string => date.format(new Date(each));
  const timeOf = (each: string): string => time.format(new Date(each));
  return {
    ticks: (max) => {
      const places = at.map((each) => ({ at: each, local: localTime(Date.parse(each)) }));
      const isTick = (isHourly ? hourly : daily).find(
        (fits) => places.filter(({ local }) => fits(local)).length <= max,
      );
      return places.filter(({ local }) => isTick?.(local) ?? false).map((place) => place.at);
    },
    tickText: (each) => {
      if (!isHourly) return dateOf(each);
      const text = timeOf(each);
      return text === '00:00' ? dateOf(each) : text;
    },
    text: (each) => (isHourly ? `${dateOf(each)}, ${timeOf(each)}` : dateOf(each)),
  };
}

/** The time zone of days on the axis, if it differs from the viewer's. */
export function foreignZone({ interval, timeZone }: ChartTime, viewerZone = ownZone()): string | null {
  return interval === 'HOUR' || timeZone === viewerZone ? null : timeZone;
}

type Fits = (local: LocalTime) => boolean;

const hourly = hourSteps.map(
  (step): Fits =>
    ({ hour }) =>
      hour % step === 0,
);

const daily: readonly Fits[] = [
  ...daySteps.map(
    (step): Fits =>
      ({ dayNumber }) =>
        // Weeks start on Monday; 1970-01-01 was a Thursday.
        (dayNumber + 3) % step === 0,
  ),
  ...monthSteps.map(
    (step): Fits =>
      ({ day, month }) =>
        day === 1 && (month - 1) % step === 0,
  ),
];

function localTimeIn(timeZone: string | undefined): (at: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
  });
  return (at) => {
    const parts = format.formatToParts(at);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
    const [year, month, day] = [part('year'), part('month'), part('day')];
    const dayNumber = Date.UTC(year, month - 1, day) / DAY_MS;
    return { hour: part('hour'), day, month, dayNumber };
  };
}

function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
