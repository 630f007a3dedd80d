import { randomUUID } from 'node:crypto';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { latestPostings } from '../../services/billing/latest-postings.ts';
import { Ledger, type NewPosting, type Posted } from '../../services/billing/ledger.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { bookings, type Booking } from './ledger-arguments.ts';
import { onlyAccount } from '../accounts/oldest-account.ts';

/**
 * Records a manual posting once per reference, with an entry in the audit log.
 * @returns the output of the command
 * @throws SluiceError not_found | database_unavailable; BadArguments if the reference belongs to another posting
 */
export async function postManually(
  database: Database,
  action: keyof typeof bookings,
  { account: named, amountNano, reference = `by-hand:${randomUUID()}`, note }: Booking,
): Promise<string> {
  const accountId = named ?? (await onlyAccount(database));
  const [account] = await database.query<{ name: string }>('select name from accounts where id = $1', [accountId]);
  if (account === undefined) throw new SluiceError('not_found', { values: { what: 'account' } });
  const ledger = new Ledger(database);
  const posting = { accountId, amountNano, reference, ...(note !== undefined && { description: note }) };
  const amount = `${formatUsd(amountNano)} USD`;
  const booked = database.transaction(async (client) => {
    const made = await ledger[bookings[action]](posting, client);
    const target = { type: 'account', id: accountId, label: account.name };
    const changes = [
      { field: action, before: null, after: amount },
      { field: 'reference', before: null, after: reference },
    ];
    if (!made.repeated) await insertAudit(client, { accountId, action: 'account.money_booked', target, changes });
    return made;
  });
  const posted = await booked.catch((error: unknown) => explain(database, posting, error));
  const summary = `${action} of ${amount}, reference ${JSON.stringify(reference)}`;
  const { wallet } = await ledger.balances(accountId);
  const balance = `The balance of ${JSON.stringify(account.name)} is ${formatUsd(wallet)} USD.\n`;
  return posted.repeated
    ? `Already recorded at ${posted.createdAt.toISOString()}: ${summary}. Nothing was changed.\n${balance}`
    : `Recorded: ${summary}.\n${balance}`;
}

async function explain(database: Database, { accountId, reference }: NewPosting, error: unknown): Promise<Posted> {
  if (!(error instanceof SluiceError && error.code === 'ledger_reference_reused')) throw error;
  const [before] = await latestPostings(database, accountId, { limit: 1, reference });
  if (before === undefined) throw error;
  const { kind, amountNano, createdAt } = before;
  throw new BadArguments(
    `The reference ${JSON.stringify(reference)} belongs to a ${kind} of ${formatUsd(amountNano)} USD, recorded at ${createdAt.toISOString()}. Nothing was changed. Choose another reference.`,
  );
}
