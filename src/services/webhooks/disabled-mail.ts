import type { Database } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import type { DisabledWebhook } from './deliveries.ts';

/** Notifies the owners of an account of a disabled webhook. Only the origin of its URL is shown: the rest may be secret. */
export async function disabledWebhookMails(
  database: Pick<Database, 'query'>,
  { accountId, url, failingSince, reason }: DisabledWebhook,
): Promise<readonly Mail[]> {
  const owners = await database.query<{ email: string; name: string }>(
    `select email, accounts.name from memberships join users on users.id = user_id join accounts on accounts.id = account_id
     where account_id = $1 and role = 'owner' order by memberships.created_at, email`,
    [accountId],
  );
  const { origin } = new URL(url);
  return owners.map(({ email: to, name }) => ({
    to,
    subject: `A webhook of ${shownName(name)} was disabled`,
    text: `Every delivery to the webhook at ${origin} in ${shownName(name)} has failed since
${failingSince.toISOString()}. It was disabled and receives no more events.

  Last failure  ${reason}

When the server works again, open Webhooks in the dashboard and choose "Enable".
Events that occur until then are not delivered.

You receive this because you are an owner of ${shownName(name)}.
`,
  }));
}
