import { z } from 'zod';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Mail, Mailer } from '../../mail/mail.ts';

const mail = z.strictObject({
  to: z.email().max(254),
  subject: z.string().min(1).max(200),
  text: z.string().min(1).max(100_000),
  html: z.string().max(200_000).optional(),
});
const stored = z.strictObject({ sealed: z.string().max(1_000_000) });

/** With delays that double from 15 s up to an hour, about a day in total. */
const RETRIES = 31;

/** Encrypts a queued message, so that its links cannot be read from the database. */
export interface MailSeal {
  seal(text: string): string;
  open(sealed: string): string;
}

/**
 * Sends messages by durable jobs, which retry while the mail server is unavailable.
 * @returns a function that resolves when the message is stored; it is then sent even if this process exits
 */
export function sendMail(
  queue: JobQueue,
  mailer: Pick<Mailer, 'send'>,
  { seal, open }: MailSeal,
): (message: Mail) => Promise<void> {
  const kind = queue.define('send-mail', stored, ({ sealed }) => mailer.send(mail.parse(JSON.parse(open(sealed)))), {
    timeoutSeconds: 90,
    retries: RETRIES,
    concurrency: 2,
  });
  return (message) => queue.send(kind, { sealed: seal(JSON.stringify(mail.parse(message))) });
}
