import { hostname } from 'node:os';
import type { createTransport } from 'nodemailer';
import type { Mail, Mailer } from './mail.ts';

type Transport = ReturnType<typeof createTransport>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** Through a mail server: `smtp://user:password@host:587`, or `smtps://` with TLS from the start; `?from=` names the sender. */
export class SmtpMailer implements Mailer {
  readonly #settings;
  readonly #from: string;
  /** Its package is loaded for the first message: many servers send none. */
  #opening: Promise<Transport> | null = null;

  constructor(url: string) {
    const { protocol, hostname: host, port, username, password, searchParams } = new URL(url);
    const secure = protocol === 'smtps:';
    this.#from = searchParams.get('from') ?? usualSender();
    this.#settings = {
      host: host.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      // Nothing of a message is a file or an address to be read.
      disableFileAccess: true,
      disableUrlAccess: true,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    };
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    this.#opening ??= import('nodemailer').then((nodemailer) => nodemailer.createTransport(this.#settings));
    const transport = await this.#opening;
    await transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      ...(html !== undefined && { html }),
    });
  }

  close(): void {
    this.#opening?.then(
      (transport) => transport.close(),
      () => undefined,
    );
  }
}

/** Who a message is from that no address is given for. */
export function usualSender(): string {
  return `Sluice <sluice@${hostname()}>`;
}
