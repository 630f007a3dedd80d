import { EventEmitter, once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { whenFolderAllows } from './folder-changes.ts';

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
  /** The address of the link in a message. */
  link(to: string, subject: string, count?: number): Promise<string>;
  /** The token of that link. */
  token(to: string, subject: string, count?: number): Promise<string>;
}

export interface Mailbox extends ReadMail {
  readonly url: string;
  close(): Promise<void>;
}

/** A real mail server on loopback that keeps what it takes. */
export async function startMailbox(): Promise<Mailbox> {
  const received: ReceivedMail[] = [];
  const arrivals = new EventEmitter();
  const whenReceived: WhenReceived = async (read, signal) => {
    for (;;) {
      const found = read();
      if (found !== null) return found;
      await once(arrivals, 'message', { signal });
    }
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (text: string) => (raw += text));
      stream.on('end', () => {
        received.push({ ...mailOf(raw), to: session.envelope.rcptTo.map(({ address }) => address).join() });
        arrivals.emit('message');
        done();
      });
    },
  });
  // A client that resets its connection within a message, such as a product that was killed, is no fault of this server.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  return {
    url: `smtp://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}?from=sluice@example.org`,
    received,
    ...waiting(() => received, whenReceived),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** What a product without a mail server writes into its data folder. */
export function mailFolder(dataDir: string): ReadMail {
  const folder = join(dataDir, 'mail');
  // The product makes it with its first message.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // In the order in which they were written: their names begin with the time.
  const readAll = (): ReceivedMail[] =>
    readdirSync(folder)
      .toSorted()
      .map((name) => mailOf(readFileSync(join(folder, name), 'utf8')));
  return {
    get received() {
      return readAll();
    },
    ...waiting(readAll, (read, signal) => whenFolderAllows(folder, read, { signal })),
  };
}

/** Resolves with the first result of `read` that is not null; it is called again after each message. */
type WhenReceived = (read: () => ReceivedMail | null, signal: AbortSignal) => Promise<ReceivedMail>;

/** Then a message that never comes is reported with those that came, before the test is ended. */
const PATIENCE_MS = 240_000;

function waiting(
  readAll: () => readonly ReceivedMail[],
  whenReceived: WhenReceived,
): Pick<ReadMail, 'wait' | 'link' | 'token'> {
  const wait: ReadMail['wait'] = (to, subject, count = 1) =>
    whenReceived(() => {
      const found = readAll().filter((each) => each.to === to && each.subject.startsWith(subject));
      return found.length < count ? null : (found.at(-1) ?? null);
    }, AbortSignal.timeout(PATIENCE_MS)).catch((cause: unknown) => {
      const received = readAll().map((each) => `${each.to}: ${each.subject}`);
      throw new Error(`no "${subject}" to ${to} among ${received.join(', ')}`, { cause });
    });
  return {
    wait,
    link: async (to, subject, count) => /https?:\/\/\S+/.exec((await wait(to, subject, count)).source)?.[0] ?? '',
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
