import { join, resolve } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { redactError } from '../../database/error-serializer.ts';
import { SmtpMailer } from '../../mail/smtp-mailer.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Mail';

/** Signs in to the mail server. Sends nothing. */
export async function checkMail({ SMTP_URL: url, SLUICE_DATA_DIR: dataDir }: Environment): Promise<readonly Finding[]> {
  if (url === undefined)
    return [found(SUBJECT, 'unused', `SMTP_URL is not set: messages are files in ${join(resolve(dataDir), 'mail')}`)];
  const mailer = new SmtpMailer(url);
  const { hostname, port } = new URL(url);
  const place = port === '' ? hostname : `${hostname}:${port}`;
  try {
    await mailer.verify();
    return [found(SUBJECT, 'ok', `${place} accepts the sign-in`)];
  } catch (error) {
    const reason = redactError(error);
    return [
      fault(
        SUBJECT,
        'failed',
        `${place} (SMTP_URL) could not be used: ${reason instanceof Error ? reason.message : String(reason)}`,
        'Check host, port, user and password in SMTP_URL: invitations, password resets and alerts are mailed.',
      ),
    ];
  } finally {
    mailer.close();
  }
}
