import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { wireMail } from '../../../src/composition/services/mail.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { describeWithDatabase, temporaryDataDir } from '../../harness/databases.ts';
import { mailFolder } from '../../harness/mailbox.ts';

const message = { to: 'ada@example.com', subject: 'Reset', text: 'Open https://gate.example/reset?token=canary-token' };
const log = { info: () => undefined };
const masterKeys = MasterKeys.of('s'.repeat(32));

describeWithDatabase('mail delivery', (databases) => {
  it('writes to the data folder without a mail server, and encrypts queued messages', async () => {
    const database = await databases.open();
    const place = await temporaryDataDir('empty');
    const dataDir = place.options.dataDir ?? '';
    const environment = { SMTP_URL: undefined, SLUICE_DATA_DIR: dataDir };
    const jobs = new JobQueue(database);
    const { mailer } = wireMail({ environment, masterKeys, jobs, log });
    await mailer.send(message);
    const rows = await database.query("select data::text as data from pgboss.job where name = 'send-mail'");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/canary|ada@example/);
    const mail = mailFolder(dataDir);
    expect((await mail.wait(message.to, 'Reset')).source).toContain('canary-token');
    expect(mail.received).toHaveLength(1);
    await jobs.stop();
    mailer.close();
    await place.remove();
  });

  it('uses the configured mail server', async () => {
    const database = await databases.open();
    const taken = Promise.withResolvers<string>();
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        let source = '';
        stream.setEncoding('utf8').on('data', (text: string) => (source += text));
        stream.on('end', () => {
          taken.resolve(source);
          done();
        });
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    const address = server.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const jobs = new JobQueue(database);
    const environment = { SMTP_URL: `smtp://127.0.0.1:${port}`, SLUICE_DATA_DIR: '/nowhere' };
    const { mailer } = wireMail({ environment, masterKeys, jobs, log });
    await mailer.send(message);
    expect(await taken.promise).toContain('To: ada@example.com');
    await jobs.stop();
    mailer.close();
    await new Promise<void>((resolve) => server.close(resolve));
  });
});
