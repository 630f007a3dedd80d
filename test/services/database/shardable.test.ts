import { expect, test } from 'vitest';
import { describeWithDatabase } from '../../harness/databases.ts';

/**
 * Tables whose rows are found neither by an account nor by a row that is: on a database that is distributed by account they stand
 * in one place, or on every node.
 */
const withoutAccount: Readonly<Record<string, string>> = {
  accounts: 'A row is an account: its ID is what others are distributed by.',
  failed_refunds: 'A few rows a year, which an operator reads together.',
  ledger_entries: 'It has a column of the account, and is read by its posting, in whose statement it was written.',
  linked_identities: 'It belongs to a user, who may be a member of several accounts.',
  master_key_versions: 'One row per rotation of the installation.',
  mail_tokens: 'It belongs to a user. Rows expire.',
  payment_events: 'One row per payment, found by the ID of the payment provider.',
  pending_sign_ups: 'There is no account yet. Rows expire.',
  recovery_codes: 'It belongs to a user.',
  sessions: 'It belongs to a user. Rows expire.',
  spent_tokens: 'It is found by the hash of a token. Rows expire.',
  status_days: 'It counts days of the installation, not requests.',
  usage_archive_parts: 'A few hundred rows a month, one per file with the requests of all accounts.',
  usage_archives: 'One row a month, of all accounts.',
  users: 'A user may be a member of several accounts.',
};

interface Table {
  readonly name: string;
  /** Whether the account is in its primary key, or leads an index. */
  readonly is_found_by_account: boolean;
  /** Tables that a foreign key refers to whose column leads the primary key or an index. */
  readonly parents: readonly string[];
}

const tablesOfSchema = `
with tables as (
  select oid, relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname !~ '^mikro_orm_'
), led as (
  select indrelid as oid, indkey[0] as attnum, indisprimary, indkey::int[] as keys from pg_index
), account as (
  select tables.oid, attnum from tables join pg_attribute on attrelid = tables.oid and attname = 'account_id' and not attisdropped
)
select name,
  exists (
    select from account join led using (oid)
    where account.oid = tables.oid and (led.attnum = account.attnum or (indisprimary and account.attnum = any(keys)))
  ) as is_found_by_account,
  array(
    select parent.name::text from pg_constraint join tables as parent on parent.oid = confrelid
    where contype = 'f' and conrelid = tables.oid and confrelid <> conrelid
      and exists (select from led where led.oid = conrelid and led.attnum = conkey[1])
    order by 1
  ) as parents
from tables order by name`;

describeWithDatabase('the tables', (databases) => {
  async function read(): Promise<{ tables: Table[]; without: string[] }> {
    const tables = await (await databases.open()).query<Table>(tablesOfSchema);
    const found = new Set(tables.filter((table) => table.is_found_by_account).map(({ name }) => name));
    // A row of a parent may itself be found by its parent.
    for (let size = -1; size < found.size;) {
      size = found.size;
      for (const { name, parents } of tables) if (parents.some((parent) => found.has(parent))) found.add(name);
    }
    return { tables, without: tables.map(({ name }) => name).filter((name) => !found.has(name)) };
  }

  test('are found by account, or by the row of an account that they belong to, with a few exceptions', async () => {
    expect((await read()).without).toEqual(Object.keys(withoutAccount).toSorted());
  });

  test('have the account in their key where they grow with each request', async () => {
    const { tables } = await read();
    const perRequest = ['usage_logs', 'usage_rollups', 'usage_tag_rollups', 'attempt_rollups', 'logged_texts'];
    expect(
      tables.filter(({ name, is_found_by_account: isFound }) => perRequest.includes(name) && isFound),
    ).toHaveLength(perRequest.length);
  });
});
