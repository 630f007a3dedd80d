import type { FinishedContent } from '../content-log.ts';
import type { QueuedContent } from './waiting-contents.ts';

/** What is passed to the store together. */
export interface Attempt {
  readonly batch: readonly FinishedContent[];
  readonly captures: readonly QueuedContent[];
  /** How often it failed. */
  readonly failures: number;
  /** By the monotonic clock, in milliseconds. */
  readonly dueAt: number;
}

/** The part of one account. */
export function partOf({ batch, captures, dueAt }: Attempt, account: string, failures: number): Attempt {
  const isOfAccount = ({ accountId }: { readonly accountId: string }): boolean => accountId === account;
  return { batch: batch.filter(isOfAccount), captures: captures.filter(isOfAccount), failures, dueAt };
}

/** For content that is stored later than others of its batch. */
export function own(captures: readonly QueuedContent[]): void {
  for (const capture of captures) capture.own();
}
