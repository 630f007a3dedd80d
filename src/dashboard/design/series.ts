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
  /** Identifies the series; by default its name. */
  readonly id?: string;
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
  const names = new Map<string, string>();
  for (const { name, id = name, amount } of amounts) {
    totals.set(id, (totals.get(id) ?? 0) + amount);
    names.set(id, name);
  }
  const nameOf = (id: string): string => names.get(id) ?? id;
  const ids = [...totals]
    .filter(([, total]) => total > 0)
    .toSorted(([oneId, one], [otherId, other]) => other - one || (nameOf(oneId) < nameOf(otherId) ? -1 : 1))
    .map(([id]) => id);
  // A single remaining series is not aggregated.
  const own = ids.length <= MAX_SERIES + 1 ? ids : ids.slice(0, MAX_SERIES);
  const lines = new Map(own.map((id) => [id, at.map(() => 0)]));
  const rest = at.map(() => 0);
  for (const { name, id = name, start, amount } of amounts) {
    const line = lines.get(id) ?? rest;
    const place = places.get(Date.parse(start ?? ''));
    if (place !== undefined) line[place] = (line[place] ?? 0) + amount;
  }
  const styles = seriesStyles(kind, own.map(nameOf));
  const series = own.map((id, index) => ({
    name: nameOf(id),
    style: styles[index] ?? otherStyle,
    values: lines.get(id) ?? [],
  }));
  const others = ids.length - own.length;
  return others === 0 ? series : [...series, { name: `Other (${others})`, style: otherStyle, values: rest }];
}
