import { text, type Given } from '../../data/search.ts';

export interface WebhooksSearch {
  /** The webhook whose details are open. */
  readonly webhook?: string;
  readonly create?: true;
}

export function webhooksSearch(given: Given): WebhooksSearch {
  return { webhook: text(given.webhook), create: given.create === true ? true : undefined };
}
