import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { vi } from 'vitest';

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  /** Decoded, headers and all. */
  readonly source: string;
}

export interface ReadMail {
  readonly received: readonly ReceivedMail[];
  /** Waits for a message to somebody whose subject begins so; the last of several. */
  wait(to: string, subject: string, count?: number): Promise<ReceivedMail>;
  /** The token of the link in a message. */
  token(to: string, subject: string, count?: number): Promise<string>;
}

export interface Mailbox extends ReadMail {
  readonly url: string;
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
        received.push({ ...mailOf(raw), to: session.envelope.rcptTo.map(({ address }) => address).join() });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}?from=sluice@example.org`,
    received,
    ...waiting(() => received),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** What a product without a mail server writes into its data folder. */
export function mailFolder(dataDir: string): ReadMail {
  const folder = join(dataDir, 'mail');
  // In the order in which they were written: their names begin with the time.
  const readAll = (): ReceivedMail[] =>
    (existsSync(folder) ? readdirSync(folder).toSorted() : []).map((name) =>
      mailOf(readFileSync(join(folder, name), 'utf8')),
    );
  return {
    get received() {
      return readAll();
    },
    ...waiting(readAll),
  };
}

function waiting(readAll: () => readonly ReceivedMail[]): Pick<ReadMail, 'wait' | 'token'> {
  const wait: ReadMail['wait'] = (to, subject, count = 1) =>
    vi.waitFor(
      () => {
        const received = readAll();
        const found = received.filter((each) => each.to === to && each.subject.startsWith(subject));
        const last = found.at(-1);
        if (last === undefined || found.length < count)
          throw new Error(
            `no "${subject}" to ${to} among ${received.map((each) => `${each.to}: ${each.subject}`).join(', ')}`,
          );
        return last;
      },
      { timeout: 120_000, interval: 50 },
    );
  return {
    wait,
    token: async (to, subject, count) => {
      const { source } = await wait(to, subject, count);
      return /#token=([\w-]{43})/.exec(source)?.[1] ?? '';
    },
  };
}

/** Quoted-printable is undone; enough for what is sent here. */
function mailOf(raw: string): ReceivedMail {
  const source = raw
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(source)?.[1]?.trim() ?? '';
  return { to: header('To'), subject: header('Subject'), source };
}
