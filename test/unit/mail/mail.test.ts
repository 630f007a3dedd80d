import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderMailer } from '../../../src/mail/folder-mailer.ts';
import { SmtpMailer } from '../../../src/mail/smtp-mailer.ts';

const message = { to: 'ada@example.com', subject: 'Grüße', text: 'Your budget is spent.\n.\nIndeed.' };

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly source: string;
}

describe('SMTP mailer', () => {
  const received: Received[] = [];
  let server: SMTPServer;
  let at: string;

  beforeEach(async () => {
    received.length = 0;
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p@ss' ? done(null, { user: username }) : done(new Error('no')),
      onData(stream, session, done) {
        let source = '';
        stream.setEncoding('utf8').on('data', (text: string) => (source += text));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            user: session.user,
            source,
          });
          done();
        });
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const address = server.server.address();
    at = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  });

  afterEach(() => new Promise<void>((resolve) => server.close(resolve)));

  it('delivers the complete message with the configured sender and credentials', async () => {
    const mailer = new SmtpMailer(`smtp://sluice:p%40ss@${at}?from=Gate%20%3Cgate@example.org%3E`);
    await mailer.send(message);
    mailer.close();
    expect(received).toMatchObject([{ from: 'gate@example.org', to: ['ada@example.com'], user: 'sluice' }]);
    const { source = '' } = received[0] ?? {};
    expect(source).toContain('Subject: =?UTF-8?');
    expect(source).toContain('Your budget is spent.\r\n.\r\nIndeed.');
  });

  it('sends one message to one recipient when a field contains line breaks', async () => {
    const mailer = new SmtpMailer(`smtp://${at}`);
    await mailer.send({ ...message, subject: 'Hello\r\nBcc: eve@example.com', to: 'ada@example.com' });
    mailer.close();
    expect(received[0]?.to).toEqual(['ada@example.com']);
    expect(received[0]?.source).not.toMatch(/^Bcc:/im);
  });

  it('fails without revealing the password when the server rejects the message', async () => {
    const mailer = new SmtpMailer(`smtp://sluice:wr0ng@${at}`);
    const failure = await mailer.send(message).catch(String);
    mailer.close();
    expect(failure).toContain('Error');
    expect(failure).not.toContain('wr0ng');
  });
});

describe('folder mailer', () => {
  it('writes files that only their owner can read, and logs their paths', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'sluice-mail-')), 'mail');
    const logged: object[] = [];
    const mailer = new FolderMailer(folder, { info: (fields) => void logged.push(fields) });
    await mailer.send(message);
    await mailer.send(message);
    mailer.close();
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(files).toHaveLength(2);
    expect(logged).toEqual(files.toSorted().map((path) => ({ path })));
    const [first = ''] = files;
    expect(statSync(first).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(first, 'utf8')).toContain('To: ada@example.com\n');
    rmSync(folder, { recursive: true });
  });
});
