import { MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE } from '../relay/page.ts';
import { MAX_GROUPS, DEFAULT_GROUPS } from '../usage/usage-report.types.ts';

/** Groups of a report are rows of one aggregate query: this many count as one object. */
const GROUPS_PER_OBJECT = 10;
const DAY_MS = 86_400_000;
const intervals = new Map([
  ['HOUR', DAY_MS / 24],
  ['DAY', DAY_MS],
  ['WEEK', 7 * DAY_MS],
  ['MONTH', 28 * DAY_MS],
]);

/** Argument values of a field, not validated yet. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/**
 * The maximum length of a field's lists, derived from its arguments. Values out of range are rejected by the field itself.
 * @param argumentNames the names of the field's arguments
 * @returns null if no argument limits the length
 */
export function listSizeOf(argumentNames: ReadonlySet<string>, given: ArgumentValues): number | null {
  if (argumentNames.has('ids')) return idsIn(given);
  if (argumentNames.has('first'))
    return clamp(MAX_PAGE_SIZE, Math.max(numberIn(given.first), numberIn(given.last)), DEFAULT_PAGE_SIZE);
  if (argumentNames.has('range')) return Math.ceil(groupsIn(argumentNames, given) / GROUPS_PER_OBJECT);
  return null;
}

/** Number of ids. A single id may be given without a list. */
export function idsIn({ ids }: ArgumentValues): number {
  return Array.isArray(ids) ? clamp(MAX_PAGE_SIZE, ids.length, 1) : 1;
}

/** Groups of a report: the number of intervals, or `limit` if other dimensions are grouped too. */
function groupsIn(argumentNames: ReadonlySet<string>, { limit, groupBy, range, interval }: ArgumentValues): number {
  const max = argumentNames.has('limit') ? clamp(MAX_GROUPS, numberIn(limit), DEFAULT_GROUPS) : MAX_GROUPS;
  if (groupBy !== undefined && groupBy !== null) return max;
  const length = intervals.get(String(interval));
  const { from, to } = { from: undefined, to: undefined, ...(typeof range === 'object' && range) };
  const ms = Date.parse(String(to)) - Date.parse(String(from));
  if (length === undefined) return 1;
  return Number.isNaN(ms) ? max : clamp(max, Math.ceil(ms / length) + 1, 1);
}

function clamp(max: number, requested: number, fallback: number): number {
  return requested < 1 ? fallback : Math.min(max, requested);
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
