import { MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE } from '../relay/page.ts';
import { MAX_GROUPS, DEFAULT_GROUPS } from '../usage/usage-report.types.ts';

/** Groups of a report are rows of one statement, of sums alone: so many count as one object. */
const GROUPS_PER_OBJECT = 10;
const DAY_MS = 86_400_000;
const intervals = new Map([
  ['HOUR', DAY_MS / 24],
  ['DAY', DAY_MS],
  ['WEEK', 7 * DAY_MS],
  ['MONTH', 28 * DAY_MS],
]);

/** What is given for the arguments of a field; not yet known to be what they may be. */
export type GivenArguments = Readonly<Record<string, unknown>>;

/**
 * How many objects the lists of a field hold at most, as its arguments say. What is out of bounds is refused by the field
 * itself.
 * @param takes the names of the field's arguments
 * @returns null where none of them says so
 */
export function listSizeOf(takes: ReadonlySet<string>, given: GivenArguments): number | null {
  if (takes.has('ids')) return idsIn(given);
  if (takes.has('first'))
    return within(MAX_PAGE_SIZE, Math.max(numberIn(given.first), numberIn(given.last)), DEFAULT_PAGE_SIZE);
  if (takes.has('range')) return Math.ceil(groupsIn(takes, given) / GROUPS_PER_OBJECT);
  return null;
}

/** How many ids are given; one may stand without its list. */
export function idsIn({ ids }: GivenArguments): number {
  return Array.isArray(ids) ? within(MAX_PAGE_SIZE, ids.length, 1) : 1;
}

/** Of a report: as many as its intervals, or as its limit where something else groups them too. */
function groupsIn(takes: ReadonlySet<string>, { limit, groupBy, range, interval }: GivenArguments): number {
  const most = takes.has('limit') ? within(MAX_GROUPS, numberIn(limit), DEFAULT_GROUPS) : MAX_GROUPS;
  if (groupBy !== undefined && groupBy !== null) return most;
  const length = intervals.get(String(interval));
  const { from, to } = { from: undefined, to: undefined, ...(typeof range === 'object' && range) };
  const ms = Date.parse(String(to)) - Date.parse(String(from));
  if (length === undefined) return 1;
  return Number.isNaN(ms) ? most : within(most, Math.ceil(ms / length) + 1, 1);
}

function within(most: number, asked: number, usual: number): number {
  return asked < 1 ? usual : Math.min(most, asked);
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
