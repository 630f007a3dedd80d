import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface AuditSearch {
  /** The id of a user or an API key. */
  readonly actor?: string;
  /** `api_key.created`, or `api_key.*`. */
  readonly action?: string;
  readonly target?: string;
  /** Days in the browser's time zone: `2026-11-21`. */
  readonly since?: string;
  readonly until?: string;
  /** The entry that is open. */
  readonly entry?: string;
}

export function auditSearch(input: UntrustedSearch): AuditSearch {
  return {
    actor: nonEmptyText(input.actor),
    action: nonEmptyText(input.action),
    target: nonEmptyText(input.target),
    since: dayOf(input.since),
    until: dayOf(input.until),
    entry: nonEmptyText(input.entry),
  };
}

function dayOf(value: unknown): string | undefined {
  const day = nonEmptyText(value);
  return day && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
}

/** The start of the day in the browser's time zone; with `isEnd`, the start of the next day. */
export function startOfDay(day: string | undefined, isEnd = false): string | undefined {
  if (!day) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + (isEnd ? 1 : 0)).toISOString();
}
