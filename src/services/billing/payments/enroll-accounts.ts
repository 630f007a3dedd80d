import { z } from 'zod';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { PaymentProvider } from './payment-provider.ts';

const schema = z.strictObject({ accountId: z.uuid() });

export interface EnrollParts {
  readonly enroll: NonNullable<PaymentProvider['enroll']>;
  /** Whether the account's plan costs something. */
  readonly isPaid: (accountId: string) => Promise<boolean>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Tells who collects money of accounts whose plan costs something, by a job: a change of plans waits for nobody. An account that
 * is missed is told of with its first invoice.
 * @returns looks at an account whose plan may be another now
 */
export function enrollAccounts(queue: JobQueue, parts: EnrollParts): (accountId: string) => void {
  const { enroll, isPaid, onFault } = parts;
  const kind = queue.define(
    'enroll-account',
    schema,
    async ({ accountId }) => {
      if (await isPaid(accountId)) await enroll(accountId);
    },
    { queueAtMostOne: true, retries: 10 },
  );
  return (accountId) => void queue.send(kind, { accountId }, { key: accountId }).catch(onFault);
}
