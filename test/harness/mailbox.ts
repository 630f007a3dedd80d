import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { vi } from 'vitest';

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  /** Decoded, headers and all. */
  readonly source: string;
}

export interface Mailbox {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Waits for a message to somebody whose subject begins so; the last of several. */
  wait(to: string, subject: string, count?: number): Promise<ReceivedMail>;
  /** The token of the link in a message. */
  token(to: string, subject: string, count?: number): Promise<string>;
  close(): Promise<void>;
}

/** A real mail server on loopback that keeps what it takes. */
export async function startMailbox(): Promise<Mailbox> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (text: string) => (raw += text));
      stream.on('end', () => {
        const source = decoded(raw);
        const subject = /^Subject: (.*)$/m.exec(source)?.[1]?.trim() ?? '';
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), subject, source });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const wait: Mailbox['wait'] = (to, subject, count = 1) =>
    vi.waitFor(
      () => {
        const found = received.filter((each) => each.to === to && each.subject.startsWith(subject));
        const last = found.at(-1);
        if (last === undefined || found.length < count)
          throw new Error(
            `no "${subject}" to ${to} among ${received.map((each) => `${each.to}: ${each.subject}`).join(', ')}`,
          );
        return last;
      },
      { timeout: 60_000, interval: 50 },
    );
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}?from=sluice@example.org`,
    received,
    wait,
    token: async (to, subject, count) => {
      const { source } = await wait(to, subject, count);
      return /#token=([\w-]+)/.exec(source)?.[1] ?? '';
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable undone; enough for what is sent here. */
function decoded(raw: string): string {
  return raw
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
