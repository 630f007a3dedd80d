import { otherStyle, seriesStyles, type SeriesKind, type SeriesStyle } from './series-style.ts';

/** A named series of values over time. */
export interface Series {
  readonly name: string;
  readonly style: SeriesStyle;
  /** One per position of the axis; null for no value. */
  readonly values: readonly (number | null)[];
}

/** An amount in one interval. */
export interface Amount {
  readonly name: string;
  /** Start of the interval. */
  readonly start: string | null | undefined;
  readonly amount: number;
}

/** More series cannot be distinguished: the rest is aggregated. */
export const MAX_SERIES = 10;

/**
 * Series in descending order; beyond `MAX_SERIES` the smaller ones are aggregated and counted.
 * @param at start of each interval of the axis
 */
export function seriesOf(kind: SeriesKind, amounts: readonly Amount[], at: readonly string[]): Series[] {
  // The server may format the same time differently.
  const places = new Map(at.map((each, index) => [Date.parse(each), index]));
  const totals = new Map<string, number>();
  for (const { name, amount } of amounts) totals.set(name, (totals.get(name) ?? 0) + amount);
  const names = [...totals]
    .filter(([, total]) => total > 0)
    .toSorted(([oneName, one], [otherName, other]) => other - one || (oneName < otherName ? -1 : 1))
    .map(([name]) => name);
  // A single remaining series is not aggregated.
  const own = names.length <= MAX_SERIES + 1 ? names : names.slice(0, MAX_SERIES);
  const lines = new Map(own.map((name) => [name, at.map(() => 0)]));
  const rest = at.map(() => 0);
  for (const { name, start, amount } of amounts) {
    const line = lines.get(name) ?? rest;
    const place = places.get(Date.parse(start ?? ''));
    if (place !== undefined) line[place] = (line[place] ?? 0) + amount;
  }
  const styles = seriesStyles(kind, own);
  const series = own.map((name, index) => ({
    name,
    style: styles[index] ?? otherStyle,
    values: lines.get(name) ?? [],
  }));
  const others = names.length - own.length;
  return others === 0 ? series : [...series, { name: `Other (${others})`, style: otherStyle, values: rest }];
}
