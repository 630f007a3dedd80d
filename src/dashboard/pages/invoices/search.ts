import { oneOf, text, type Given } from '../../data/search.ts';

export interface InvoicesSearch {
  /** The invoice that is open; `upcoming` for that of the current period, `upcoming-` and its start for that of another. */
  readonly invoice?: string;
  readonly topUp?: true;
  /** How the payment service's page was left. */
  readonly top_up?: 'paid' | 'cancelled';
}

const UPCOMING = 'upcoming';

/** How the address names what is not an invoice yet: by when its period began. */
export function upcomingId(periodStart: string): string {
  return `${UPCOMING}-${periodStart}`;
}

export function isUpcomingId(id: string | null): boolean {
  return id !== null && (id === UPCOMING || id.startsWith(`${UPCOMING}-`));
}

/** Of those that are upcoming, the one that an address names; the current one, the last, where it names none. */
export function upcomingOf<T extends { readonly periodStart: string }>(id: string | null, all: readonly T[]): T | null {
  if (!isUpcomingId(id)) return null;
  return all.find(({ periodStart }) => upcomingId(periodStart) === id) ?? all.at(-1) ?? null;
}

export function invoicesSearch(given: Given): InvoicesSearch {
  return {
    invoice: text(given.invoice),
    topUp: given.topUp === true ? true : undefined,
    top_up: oneOf(['paid', 'cancelled'], given.top_up),
  };
}
