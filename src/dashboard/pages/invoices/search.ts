import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface InvoicesSearch {
  /** The invoice that is open; `upcoming` for the current period, `upcoming-` and a start for another period. */
  readonly invoice?: string;
  readonly topUp?: true;
  /** The result that the payment service returned. */
  readonly top_up?: 'paid' | 'cancelled';
}

const UPCOMING = 'upcoming';

/** The id of an upcoming invoice in the URL: the start of its period. */
export function upcomingId(periodStart: string): string {
  return `${UPCOMING}-${periodStart}`;
}

export function isUpcomingId(id: string | null): boolean {
  return id !== null && (id === UPCOMING || id.startsWith(`${UPCOMING}-`));
}

/** The upcoming invoice that the URL names; without a start, the last one, which is the current period's. */
export function upcomingOf<T extends { readonly periodStart: string }>(id: string | null, all: readonly T[]): T | null {
  if (!isUpcomingId(id)) return null;
  return all.find(({ periodStart }) => upcomingId(periodStart) === id) ?? all.at(-1) ?? null;
}

export function invoicesSearch(input: UntrustedSearch): InvoicesSearch {
  return {
    invoice: nonEmptyText(input.invoice),
    topUp: input.topUp === true ? true : undefined,
    top_up: oneOf(['paid', 'cancelled'], input.top_up),
  };
}
