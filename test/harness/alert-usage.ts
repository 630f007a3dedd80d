import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/database.ts';
import { Account, Membership, User } from '../../src/database/entities/index.ts';
import type { UsageRecord } from '../../src/gateway/usage/usage-record.ts';
import { UsageStore } from '../../src/services/usage/usage-store.ts';
import { rowsJson, usageRecord } from './usage-rows.ts';

/** A Wednesday; the start of a quarter hour. */
export const HOUR_START = Date.parse('2026-11-25T12:00:00Z');
const MINUTE_MS = 60_000;

/** An account with a user, whose address receives e-mail. */
export async function accountWithOwner(database: Database): Promise<{ accountId: string; email: string }> {
  const em = database.em();
  const email = `${randomUUID()}@example.com`;
  const account = em.create(Account, { name: 'Acme', createdAt: new Date() });
  const user = em.create(User, { email, name: 'Ada', createdAt: new Date() });
  em.create(Membership, { account, user, role: 'owner', createdAt: new Date() });
  await em.flush();
  return { accountId: account.id, email };
}

/** Usage of an account, `minute` minutes after the start. */
export async function storeUsage(
  database: Database,
  accountId: string,
  minute: number,
  values: Partial<UsageRecord>,
  count = 1,
): Promise<void> {
  const rows = Array.from({ length: count }, () =>
    usageRecord({
      account_id: accountId,
      began_at: new Date(HOUR_START + minute * MINUTE_MS).toISOString(),
      cost_nano: '0',
      tags: null,
      ...values,
    }),
  );
  const store = new UsageStore(database, (_row, error) => {
    throw error;
  });
  await store.store(rowsJson(rows));
}
