import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface WebhooksSearch {
  /** The webhook whose details are open. */
  readonly webhook?: string;
  readonly create?: true;
}

export function webhooksSearch(input: UntrustedSearch): WebhooksSearch {
  return { webhook: nonEmptyText(input.webhook), create: input.create === true ? true : undefined };
}
