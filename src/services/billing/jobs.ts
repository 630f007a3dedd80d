import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { InvoiceClosing } from './invoices/invoice-closing.ts';
import type { InvoiceIssuing } from './invoices/invoice-issuing.ts';

const nothing = z.strictObject({});

/** Every hour, creates the invoices of periods that ended, then issues open invoices. */
export function closeInvoices(
  queue: JobQueue,
  closing: Pick<InvoiceClosing, 'closeDue'>,
  issuing: Pick<InvoiceIssuing, 'issueOpen'>,
): void {
  const issue = queue.define('issue-invoices', nothing, (_data, { signal }) => issuing.issueOpen(signal), {
    timeoutSeconds: 3_000,
    queueAtMostOne: true,
  });
  const close = queue.define(
    'close-invoices',
    nothing,
    async (_data, { signal }) => {
      try {
        await closing.closeDue(signal);
      } finally {
        await queue.send(issue, {}, { key: 'all' });
      }
    },
    { timeoutSeconds: 3_000 },
  );
  queue.schedule(close, '23 * * * *', {});
}
