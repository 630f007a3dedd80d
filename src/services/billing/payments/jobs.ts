import { z } from 'zod';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { PaymentProvider } from './payment-provider.ts';

const schema = z.strictObject({ accountId: z.uuid() });

export interface EnrollDependencies {
  readonly enroll: NonNullable<PaymentProvider['enroll']>;
  /** Whether the account's plan has a fee. */
  readonly isPaid: (accountId: string) => Promise<boolean>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Enrolls accounts whose plan has a fee with the payment provider, by a job, so that a plan change does not wait for it. An
 * account that is missed is enrolled with its first invoice.
 * @returns a function that checks an account whose plan may have changed
 */
export function enrollAccounts(queue: JobQueue, dependencies: EnrollDependencies): (accountId: string) => void {
  const { enroll, isPaid, onFault } = dependencies;
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
