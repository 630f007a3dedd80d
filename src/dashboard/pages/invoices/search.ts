import { oneOf, text, type Given } from '../../data/search.ts';

export interface InvoicesSearch {
  /** The invoice that is open; `upcoming` for that of the running period. */
  readonly invoice?: string;
  readonly topUp?: true;
  /** How the payment service's page was left. */
  readonly top_up?: 'paid' | 'cancelled';
}

export const UPCOMING = 'upcoming';

export function invoicesSearch(given: Given): InvoicesSearch {
  return {
    invoice: text(given.invoice),
    topUp: given.topUp === true ? true : undefined,
    top_up: oneOf(['paid', 'cancelled'], given.top_up),
  };
}
