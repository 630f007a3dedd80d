import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import { billingContacts } from '../billing/billing-contacts.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';

/** Whose budget it is, by the ids of rows: neither where it is the account's own. */
export interface BudgetHolder {
  readonly apiKeyId: string | null;
  readonly memberId: string | null;
}

const alertSchema = z.object({
  amount: z.string(),
  spent: z.string(),
  percent: z.int(),
  period: z.enum(['DAY', 'WEEK', 'MONTH', 'TOTAL']),
  period_start: z.string().nullable(),
});
type Alert = z.output<typeof alertSchema>;

const periods: Readonly<Record<Alert['period'], string>> = {
  DAY: 'for a day',
  WEEK: 'for a week',
  MONTH: 'for a month',
  TOTAL: 'for all time',
};

/** What the owners of an account, and who looks after its bills, read of a budget that has passed a threshold. */
export async function budgetMails(
  database: Database,
  accountId: string,
  event: WebhookEvent,
  holder: BudgetHolder,
): Promise<readonly Mail[]> {
  const contacts = await billingContacts(database, accountId);
  if (contacts === null) return [];
  const { addresses } = contacts;
  const accountName = shownName(contacts.accountName);
  const alert = alertSchema.parse(event.data);
  const whose = (await holderName(database, holder)) ?? 'the account';
  return addresses.map((to) => ({
    to,
    subject: `${alert.percent} % of a budget of ${accountName} are spent`,
    text: alertText(alert, whose, accountName),
  }));
}

function alertText(alert: Alert, whose: string, accountName: string): string {
  const { percent, spent, amount, period, period_start: start } = alert;
  const since = start === null ? '' : `, since ${start}`;
  const follows =
    percent >= 100
      ? `\nUntil ${period === 'TOTAL' ? 'it is raised' : 'it begins anew or is raised'}, requests that it bounds are refused.\n`
      : '';
  return `The budget of ${whose} in ${accountName} has passed ${percent} %.

  Spent   ${spent} USD${since}
  Budget  ${amount} USD ${periods[period]}
${follows}
You are told since you are an owner of ${accountName}, or look after its bills.
`;
}

async function holderName(database: Database, { apiKeyId, memberId }: BudgetHolder): Promise<string | null> {
  if (apiKeyId !== null) {
    const [key] = await database.query<{ name: string }>('select name from api_keys where id = $1', [apiKeyId]);
    return key === undefined ? 'a key that is gone' : `the key ${shownName(key.name)}`;
  }
  if (memberId === null) return null;
  const [member] = await database.query<{ email: string }>('select email from users where id = $1', [memberId]);
  return member === undefined ? 'a member who is gone' : `the member ${member.email}`;
}
