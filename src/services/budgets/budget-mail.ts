import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { shownName } from '../../mail/shown-name.ts';
import { billingContacts } from '../accounts/billing-contacts.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';

/** The key or member that a budget belongs to, by row id; both null for the account's own budget. */
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
  DAY: 'per day',
  WEEK: 'per week',
  MONTH: 'per month',
  TOTAL: 'in total',
};

/** Alerts for owners and billing members that a budget has reached a threshold. */
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
  const name = (await holderName(database, holder)) ?? 'the account';
  return addresses.map((to) => ({
    to,
    subject: `Budget alert for ${accountName}: ${alert.percent} % spent`,
    text: alertText(alert, name, accountName),
  }));
}

function alertText(alert: Alert, holder: string, accountName: string): string {
  const { percent, spent, amount, period, period_start: start } = alert;
  const since = start === null ? '' : `, since ${start}`;
  const consequence =
    percent >= 100
      ? `\nRequests that count toward this budget are rejected until it ${period === 'TOTAL' ? 'is raised' : 'resets or is raised'}.\n`
      : '';
  return `The budget of ${holder} in ${accountName} has reached ${percent} %.

  Spent   ${spent} USD${since}
  Budget  ${amount} USD ${periods[period]}
${consequence}
You receive this because you are an owner or billing member of ${accountName}.
`;
}

async function holderName(database: Database, { apiKeyId, memberId }: BudgetHolder): Promise<string | null> {
  if (apiKeyId !== null) {
    const [key] = await database.query<{ name: string }>('select name from api_keys where id = $1', [apiKeyId]);
    return key === undefined ? 'a deleted key' : `the key ${shownName(key.name)}`;
  }
  if (memberId === null) return null;
  const [member] = await database.query<{ email: string }>('select email from users where id = $1', [memberId]);
  return member === undefined ? 'a former member' : `the member ${member.email}`;
}
