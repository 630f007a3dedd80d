import type { Interval } from '../generated/graphql.ts';

/** The intervals of a chart. */
export interface ChartTime {
  /** When each begins. */
  readonly at: readonly string[];
  readonly interval: Interval;
  /** Whose days they are: the account's. */
  readonly timeZone: string;
}

export interface TimeAxis {
  /** Where the axis has texts: at round hours or days, evenly. @param max as many at most */
  ticks(max: number): readonly string[];
  /** For the axis: `14:00`, `3 Nov`. */
  tickText(at: string): string;
  /** By itself: `3 Nov, 14:00`. */
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
  /** Since 1970. */
  readonly dayNumber: number;
}

/** @param viewerZone the browser's where absent: hours are shown in it, as all times are; days are the account's */
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

/** The zone of the days on the axis where it is not the viewer's, which nothing else shows. */
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
        // Weeks begin on Mondays; 1970 began on a Thursday.
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
