/** A message to a person. */
export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for programs that show HTML. */
  readonly html?: string;
}

/** Hands messages on. */
export interface Mailer {
  /** Resolves when the message is taken. @throws where it is not: it may be tried again */
  send(mail: Mail): Promise<void>;
  close(): void;
}
