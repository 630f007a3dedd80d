import { percent } from '../../design/format.ts';

/** Larger changes are stated as a factor. */
const MAX_PERCENT = 10;

/** A value compared with the previous period: `+12% (previously $1.20)`. */
export function changeText(value: number | null, before: number | null, text: (value: number) => string): string {
  if (value === null || before === null) return 'No value to compare';
  if (before === 0) return value === 0 ? 'Unchanged' : `Previously ${text(0)}`;
  return `${changeOf(value, before)} (previously ${text(before)})`;
}

/** `+12%`, `−3.4%`, `×14`. @param before not 0 */
export function changeOf(value: number, before: number): string {
  const change = (value - before) / Math.abs(before);
  if (before > 0 && change > MAX_PERCENT) return `×${Math.round(value / before)}`;
  if (change === 0) return '±0%';
  return `${change > 0 ? '+' : '−'}${percent(Math.abs(change), 1)}`;
}

/**
 * The change in cost of a group.
 * @param before undefined if the group is not among those of the previous period
 * @param truncated whether the server omitted groups of the previous period
 */
export function costChange(cost: number, before: number | undefined, truncated: boolean): string {
  if (before === undefined) return truncated ? '–' : 'New';
  return before === 0 ? '–' : changeOf(cost, before);
}
