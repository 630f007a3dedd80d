import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql.ts';

export interface Customer {
  readonly accountId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly endedSubscriptionId: string | null;
}

interface Row {
  readonly account_id: string;
  readonly customer_id: string;
  readonly subscription_id: string | null;
  readonly ended_subscription_id: string | null;
}

const selected = 'select account_id, customer_id, subscription_id, ended_subscription_id from payment_customers';

export async function customerOf(database: Database, accountId: string): Promise<Customer | null> {
  return read(await database.query<Row>(`${selected} where account_id = $1`, [accountId]));
}

/** The account of a customer id. */
export async function customerNamed(client: SqlClient, customerId: string): Promise<Customer | null> {
  return read((await client.query<Row>(`${selected} where customer_id = $1`, [customerId])).rows);
}

/** An existing customer is not replaced. All unique indexes count: of two of one account at once, either may be found first. */
export async function storeCustomer(database: Database, accountId: string, customerId: string): Promise<void> {
  await database.query(
    'insert into payment_customers (account_id, customer_id) values ($1, $2) on conflict do nothing',
    [accountId, customerId],
  );
}

export async function storeSubscription(database: Database, accountId: string, subscriptionId: string): Promise<void> {
  await database.query('update payment_customers set subscription_id = $2 where account_id = $1', [
    accountId,
    subscriptionId,
  ]);
}

/** The next invoice creates a new subscription. */
export async function endSubscription(client: SqlClient, subscriptionId: string): Promise<void> {
  await client.query(
    'update payment_customers set subscription_id = null, ended_subscription_id = $1 where subscription_id = $1',
    [subscriptionId],
  );
}

/**
 * Accounts whose subscription collects nothing any more: they were deleted, and are billed up to their erasure. Usage reported
 * a day ago has been counted.
 */
export async function accountsToWithdraw(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ account_id: string }>(
    `select customer.account_id from payment_customers as customer
    join accounts as account on account.id = customer.account_id
    left join billing_marks as mark on mark.account_id = account.id
    where subscription_id is not null and (erased_at is not null or mark.closed_until >= erased_after)
      and not exists (
        select from invoices where invoices.account_id = account.id and status = 'open'
        and (collected_at is null or collected_at > now() - interval '1 day')
      )`,
  );
  return rows.map(({ account_id: accountId }) => accountId);
}

function read([row]: readonly Row[]): Customer | null {
  if (row === undefined) return null;
  return {
    accountId: row.account_id,
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    endedSubscriptionId: row.ended_subscription_id,
  };
}
