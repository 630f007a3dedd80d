/** An e-mail message. */
export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same text as HTML. */
  readonly html?: string;
}

/** Sends messages. */
export interface Mailer {
  /** Resolves when the message is accepted. @throws if it was not accepted; the call may be retried */
  send(mail: Mail): Promise<void>;
  close(): void;
}
