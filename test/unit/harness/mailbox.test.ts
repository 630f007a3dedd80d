import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Mailbox, startMailbox } from '../../harness/mailbox.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
});
afterAll(() => mailbox.close());

it('keeps serving when a client resets its connection within a message', async () => {
  const reset = await sendUntilData();
  reset.write('Subject: cut off\r\n');
  reset.resetAndDestroy();

  const whole = await sendUntilData();
  whole.end('To: ada@example.org\r\nSubject: whole\r\n\r\ntext\r\n.\r\nQUIT\r\n');
  expect((await mailbox.wait('ada@example.org', 'whole')).source).toContain('text');
  expect(mailbox.received).toHaveLength(1);
});

/** A connection on which the server waits for the text of a message. */
async function sendUntilData() {
  const socket = connect(Number(new URL(mailbox.url).port), '127.0.0.1').setEncoding('utf8');
  const commands = ['EHLO test', 'MAIL FROM:<sluice@example.org>', 'RCPT TO:<ada@example.org>', 'DATA'];
  let reply = '';
  for (const command of [null, ...commands]) {
    if (command !== null) socket.write(`${command}\r\n`);
    // The last line of a reply has a space after its code.
    do {
      const [text] = (await once(socket, 'data')) as [string];
      reply += text;
    } while (!/^\d{3} .*\r\n$/m.test(reply));
    reply = '';
  }
  return socket;
}
