import { count, duration, money } from './format.ts';

/** The quantity of a chart. */
export type Measure = 'USD' | 'requests' | 'errors' | 'tokens' | 'duration' | 'speed' | 'percent';

export interface ValueAxis {
  /** Evenly spaced, from zero to at least the largest value. */
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  /** Unit of the ticks: `USD`, `requests`, `milliseconds`. */
  readonly unit: string;
}

const TARGET_INTERVALS = 4;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const secondSteps = [0.2, 0.5, 1, 2, 5, 10, 15, 30].map((each) => each * SECOND_MS);
const minuteSteps = [1, 2, 5, 10, 15, 30, 60].map((each) => each * MINUTE_MS);

/** @param max the largest value */
export function valueAxis(max: number, measure: Measure): ValueAxis {
  const step = stepOf(max > 0 ? max / TARGET_INTERVALS : 1 / TARGET_INTERVALS, measure);
  const intervals = Math.max(1, Math.ceil(max / step - 1e-9));
  const ticks = Array.from({ length: intervals + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  const top = ticks.at(-1) ?? 0;
  if (measure === 'USD') return { ticks, format: moneyFormat(top, step), unit: 'USD' };
  if (measure === 'percent') return { ticks, format: (value) => `${value}%`, unit: 'percent' };
  if (measure === 'speed') return { ticks, format: countFormat(top), unit: 'tokens per second' };
  if (measure !== 'duration') return { ticks, format: countFormat(top), unit: measure };
  const [size, short, unit] = durationUnit(step, top);
  return { ticks, format: (value) => `${Number((value / size).toPrecision(12))} ${short}`, unit };
}

function durationUnit(step: number, top: number): [ms: number, short: string, name: string] {
  if (step % MINUTE_MS === 0) return [MINUTE_MS, 'min', 'minutes'];
  return top >= SECOND_MS ? [SECOND_MS, 's', 'seconds'] : [1, 'ms', 'milliseconds'];
}

const rate = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Whether values of a time are measured, not added up. */
export function isMeasured(measure: Measure): boolean {
  return measure === 'duration' || measure === 'speed' || measure === 'percent';
}

/** A value with its unit: `$0.50`, `1 request`, `12,345 tokens`, `1.20 s`. */
export function valueText(value: number, measure: Measure): string {
  if (measure === 'USD') return money(value);
  if (measure === 'duration') return duration(value);
  if (measure === 'speed') return `${rate.format(value)} tokens/s`;
  if (measure === 'percent') return `${rate.format(value)}%`;
  return `${count(value)} ${value === 1 ? measure.slice(0, -1) : measure}`;
}

/** The smallest round number not below `least`. */
function stepOf(least: number, measure: Measure): number {
  if (measure === 'duration' && least > 100) {
    const step = [...secondSteps, ...minuteSteps].find((each) => each >= least);
    if (step !== undefined) return step;
    return roundStep(least / (60 * MINUTE_MS), false) * 60 * MINUTE_MS;
  }
  return roundStep(least, measure !== 'USD');
}

function roundStep(least: number, isWhole: boolean): number {
  const floor = isWhole ? Math.max(1, least) : least;
  const power = 10 ** Math.floor(Math.log10(floor));
  const steps = isWhole && power === 1 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
  const step = steps.find((each) => each * power >= floor * (1 - 1e-9)) ?? 10;
  return Number((step * power).toPrecision(12));
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const MIN_COMPACT_VALUE = 10_000;

function countFormat(top: number): ValueAxis['format'] {
  return top < MIN_COMPACT_VALUE ? count : (value) => compact.format(value);
}

/** Formats all values with the digits that the step requires. */
function moneyFormat(top: number, step: number): ValueAxis['format'] {
  if (top >= MIN_COMPACT_VALUE) return (value) => `$${compact.format(value)}`;
  const digits = decimalsOf(step);
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits === 0 ? 0 : Math.max(2, digits),
    maximumFractionDigits: digits === 0 ? 0 : Math.max(2, digits),
  });
  return (value) => format.format(value);
}

const MAX_DECIMALS = 15;

function decimalsOf(step: number): number {
  for (let digits = 0; digits < MAX_DECIMALS; digits += 1)
    if (Math.abs(Number(step.toFixed(digits)) - step) < step * 1e-6) return digits;
  return MAX_DECIMALS;
}
