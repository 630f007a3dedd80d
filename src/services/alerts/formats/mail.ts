import type { Mail } from '../../../mail/mail.ts';
import { shownName } from '../../../mail/shown-name.ts';
import type { Notification } from '../notification.ts';
import type { AlertMessage } from './message.ts';

const subjects = { fired: 'Alert', resolved: 'Alert resolved', test: 'Test of an alert channel' } as const;

/** Names of users are shown so that no mail program turns them into a link. */
export function alertMail(
  { event, recipient, accountName }: Notification,
  { summary, url, facts }: AlertMessage,
): Mail {
  const account = shownName(accountName);
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts
    .filter(([name]) => name !== 'Account' && name !== 'Subject')
    .map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  return {
    to: recipient,
    subject: `${subjects[event.transition]}: ${shownName(event.ruleName)} in ${account}`.slice(0, 200),
    text: `${event.label === '' ? summary : summary.replace(event.label, () => shownName(event.label))}

${lines.join('\n')}

${url}

You receive this because your address is in an alert channel of ${account}.
`,
  };
}
