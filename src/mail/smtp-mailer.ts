import { hostname } from 'node:os';
import type { createTransport } from 'nodemailer';
import type { Mail, Mailer } from './mail.ts';

type Transport = ReturnType<typeof createTransport>;

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

/** Sends through an SMTP server: `smtp://user:password@host:587`, or `smtps://` with implicit TLS; `?from=` sets the sender. */
export class SmtpMailer implements Mailer {
  readonly #settings;
  readonly #from: string;
  /** nodemailer is loaded for the first message, because many servers send none. */
  #transport: Promise<Transport> | null = null;

  constructor(url: string) {
    const { protocol, hostname: host, port, username, password, searchParams } = new URL(url);
    const secure = protocol === 'smtps:';
    this.#from = searchParams.get('from') ?? defaultSender();
    this.#settings = {
      host: host.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      // No part of a message is read from a file or fetched from a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
    };
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    const transport = await this.#opened();
    await transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      ...(html !== undefined && { html }),
    });
  }

  /** Connects and signs in. @throws if the server does not accept it */
  async verify(): Promise<void> {
    await (await this.#opened()).verify();
  }

  #opened(): Promise<Transport> {
    return (this.#transport ??= import('nodemailer').then(({ createTransport }) => createTransport(this.#settings)));
  }

  close(): void {
    this.#transport?.then(
      (transport) => transport.close(),
      () => undefined,
    );
  }
}

/** The sender where `SMTP_URL` names none. */
export function defaultSender(): string {
  return `Sluice <sluice@${hostname()}>`;
}
