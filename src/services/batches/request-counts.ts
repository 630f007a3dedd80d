import type { Batch } from '../../database/entities/index.ts';

export interface RequestCounts {
  readonly succeeded: number;
  readonly errored: number;
}

/** How many requests have ended so far, also at providers whose results are not here yet. */
export function requestCounts({
  succeeded,
  errored,
  providerSucceeded,
  providerErrored,
}: Pick<Batch, 'succeeded' | 'errored' | 'providerSucceeded' | 'providerErrored'>): RequestCounts {
  return { succeeded: succeeded + providerSucceeded, errored: errored + providerErrored };
}
