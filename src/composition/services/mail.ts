import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { sendMail } from '../../services/mail/jobs.ts';
import { FolderMailer } from '../../mail/folder-mailer.ts';
import type { Mailer } from '../../mail/mail.ts';
import { SmtpMailer } from '../../mail/smtp-mailer.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

export interface MailOptions {
  readonly environment: Pick<Configuration['environment'], 'SMTP_URL' | 'SLUICE_DATA_DIR'>;
  /** The master key. It encrypts queued messages, which may contain sign-in links. */
  readonly masterKeys: MasterKeys;
  readonly jobs: JobQueue;
  readonly log: Pick<Logger, 'info'>;
}

export interface WiredMail {
  /** Resolves when a message is stored in the queue. It is then sent even after a crash. */
  readonly mailer: Mailer;
}

/** Wires mail: by SMTP if configured, else into the data folder. Call it before the job queue starts. */
export function wireMail({ environment, masterKeys, jobs, log }: MailOptions): WiredMail {
  const { SMTP_URL: url, SLUICE_DATA_DIR: dataDir } = environment;
  const direct = url === undefined ? new FolderMailer(join(resolve(dataDir), 'mail'), log) : new SmtpMailer(url);
  const vault = new CredentialVault(masterKeys);
  const owner = { accountId: '', rowId: 'send-mail' };
  const send = sendMail(jobs, direct, {
    seal: (text) => vault.seal(text, owner).toString('base64'),
    open: (sealed) => vault.open(Buffer.from(sealed, 'base64'), owner),
  });
  return { mailer: { send, close: () => direct.close() } };
}
