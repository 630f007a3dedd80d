import { otherStyle, seriesStyles, type SeriesKind, type SeriesStyle } from './series-style.ts';

/** Values over time under one name. */
export interface Series {
  readonly name: string;
  readonly style: SeriesStyle;
  /** One for each place on the axis; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** An amount of one interval. */
export interface Amount {
  readonly name: string;
  /** When the interval begins. */
  readonly start: string | null | undefined;
  readonly amount: number;
}

/** More series than these cannot be told apart at a glance: the rest is one. */
export const MAX_SERIES = 10;

/**
 * The largest first; beyond `MAX_SERIES` the smaller ones are one series with their number.
 * @param at where the intervals of the axis begin
 */
export function seriesOf(kind: SeriesKind, amounts: readonly Amount[], at: readonly string[]): Series[] {
  // The server sends the same moment, perhaps in another form.
  const places = new Map(at.map((each, index) => [Date.parse(each), index]));
  const totals = new Map<string, number>();
  for (const { name, amount } of amounts) totals.set(name, (totals.get(name) ?? 0) + amount);
  const names = [...totals]
    .filter(([, total]) => total > 0)
    .toSorted(([oneName, one], [otherName, other]) => other - one || (oneName < otherName ? -1 : 1))
    .map(([name]) => name);
  // One that is left over is no group.
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
