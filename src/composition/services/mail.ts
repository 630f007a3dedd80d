import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { sendMail } from '../../jobs/send-mail.ts';
import { FolderMailer } from '../../mail/folder-mailer.ts';
import type { Mailer } from '../../mail/mail.ts';
import { SmtpMailer } from '../../mail/smtp-mailer.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';

export interface MailOptions {
  readonly environment: Pick<Configuration['environment'], 'SMTP_URL' | 'SLUICE_DATA_DIR'>;
  /** The master key: what waits in the queue is sealed by it, since a message may hold a link that signs in. */
  readonly secret: string;
  readonly jobs: JobQueue;
  readonly log: Pick<Logger, 'info'>;
}

export interface WiredMail {
  /** Takes a message as soon as it is stored: from then on it will be sent, whatever dies in between. */
  readonly mailer: Mailer;
}

/** Puts together what sends messages: by a mail server where one is set, else into the data folder. Before the queue is started. */
export function wireMail({ environment, secret, jobs, log }: MailOptions): WiredMail {
  const { SMTP_URL: url, SLUICE_DATA_DIR: dataDir } = environment;
  const direct = url === undefined ? new FolderMailer(join(resolve(dataDir), 'mail'), log) : new SmtpMailer(url);
  const vault = new CredentialVault([{ version: 1, masterKey: secret }]);
  const owner = { accountId: '', rowId: 'send-mail' };
  const send = sendMail(jobs, direct, {
    seal: (text) => vault.seal(text, owner).toString('base64'),
    open: (sealed) => vault.open(Buffer.from(sealed, 'base64'), owner),
  });
  return { mailer: { send, close: () => direct.close() } };
}
