import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, Mailer } from './mail.ts';
import { defaultSender } from './smtp-mailer.ts';

interface Log {
  info(fields: object, message: string): void;
}

/** Writes messages as `.eml` files, where no mail server is configured. Links in them are secrets, as in any mail. */
export class FolderMailer implements Mailer {
  readonly #folder: string;
  readonly #log: Log;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    const address = { name: '', address: to };
    const { createTransport } = await import('nodemailer');
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await composer.sendMail({
      from: defaultSender(),
      to: address,
      subject,
      text,
      ...(html !== undefined && { html }),
    });
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const path = join(this.#folder, `${stamp}-${randomUUID().slice(0, 8)}.eml`);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(path, message, { mode: 0o600, flag: 'wx' });
    this.#log.info({ path }, 'mail written to a file because SMTP_URL is not set');
  }

  close(): void {
    // No resource is open between messages.
  }
}
