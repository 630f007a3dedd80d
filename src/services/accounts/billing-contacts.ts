import type { Database } from '../../database/database.ts';

/** The recipients of messages about an account's billing, and the account's name. */
export interface BillingContacts {
  readonly accountName: string;
  /** E-mail addresses. */
  readonly addresses: readonly string[];
}

/** Owners and billing members. Null where there is no such account. */
export async function billingContacts(
  database: Pick<Database, 'query'>,
  accountId: string,
): Promise<BillingContacts | null> {
  const [found] = await database.query<{ name: string; addresses: readonly string[] }>(
    `select name, array(
      select email from memberships join users on users.id = user_id
      where memberships.account_id = accounts.id and role in ('owner', 'billing') order by memberships.created_at, email
    ) as addresses from accounts where id = $1`,
    [accountId],
  );
  return found === undefined ? null : { accountName: found.name, addresses: found.addresses };
}
