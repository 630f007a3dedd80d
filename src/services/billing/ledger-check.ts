import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { requestCount } from '../usage/request-count.ts';

/** A discrepancy in the books. Amounts in nano-USD. */
export interface LedgerDiscrepancy {
  readonly what: string;
  readonly accountId: string | null;
  readonly expectedNano: bigint;
  readonly foundNano: bigint;
}

export interface LedgerReport {
  readonly postings: number;
  /** The number of accounts with billed usage. */
  readonly accounts: number;
  /** The cost of all usage according to the ledger, before refunds. */
  readonly settledNano: bigint;
  /** Up to a hundred of each kind; empty if the books agree. */
  readonly faults: readonly LedgerDiscrepancy[];
}

interface Check {
  readonly what: string;
  /** Selects `account_id`, `expected` and `found` of discrepancies. */
  readonly sql: string;
}

const MAX_DISCREPANCIES = 100;
/** The check reads all usage. */
const MAX_DURATION_MS = 6 * 3_600_000;

const settled = `
select posting.account_id, sum(entry.amount_nano) as amount from ledger_postings as posting
join ledger_entries as entry on entry.posting_id = posting.id and entry.book = 'usage'
where posting.kind = 'settlement' group by posting.account_id`;

const checks: readonly Check[] = [
  {
    what: 'a posting has two entries, which sum to zero',
    sql: `
select posting.account_id, 0 as expected, coalesce(sum(entry.amount_nano), 0) as found
from ledger_postings as posting left join ledger_entries as entry on entry.posting_id = posting.id
group by posting.id having coalesce(sum(entry.amount_nano), 0) <> 0 or count(entry.book) <> 2`,
  },
  {
    what: 'an entry belongs to a posting of its account',
    sql: `
select entry.account_id, 0 as expected, entry.amount_nano as found
from ledger_entries as entry left join ledger_postings as posting on posting.id = entry.posting_id
where posting.account_id is distinct from entry.account_id`,
  },
  {
    what: 'a balance is the sum of its entries',
    sql: `
select account_id, coalesce(entries.amount, 0) as expected, coalesce(balance.amount_nano, 0) as found
from (select account_id, book, sum(amount_nano) as amount from ledger_entries group by account_id, book) as entries
full join ledger_balances as balance using (account_id, book)
where entries.amount is distinct from balance.amount_nano`,
  },
  {
    what: 'each kind of roll-up sums to what was settled',
    sql: `
select account_id, coalesce(settled.amount, 0) as expected, coalesce(rolled.amount, 0) as found
from (
  select account_id, amount, span, by_key from (${settled}) as each
  cross join (values (15, true), (15, false), (1440, true), (1440, false)) as levels(span, by_key)
) as settled
full join (
  select account_id, span, by_key, sum(cost_nano) as amount from usage_rollups group by account_id, span, by_key
) as rolled using (account_id, span, by_key)
where coalesce(settled.amount, 0) <> coalesce(rolled.amount, 0)`,
  },
  {
    what: 'the usage log of a day sums to its roll-ups',
    sql: `
select account_id, coalesce(rolled.cost, 0) as expected, coalesce(logged.cost, 0) as found
from (
  select account_id, date_trunc('day', began_at at time zone 'UTC') as day, sum(cost_nano) as cost, sum(${requestCount}) as requests
  from usage_logs group by 1, 2
) as logged
full join (
  select account_id, bucket at time zone 'UTC' as day, sum(cost_nano) as cost, sum(requests) as requests
  from usage_rollups where span = 1440 and not by_key group by 1, 2
) as rolled using (account_id, day)
left join usage_retention as kept using (account_id)
where (logged.cost is distinct from rolled.cost or logged.requests is distinct from rolled.requests)
  and (kept.kept_from is null or day >= kept.kept_from at time zone 'UTC')`,
  },
  {
    what: 'an invoice is the sum of its lines',
    sql: `
select account_id, total_nano as expected, coalesce(sum(amount_nano), 0) as found
from invoices left join invoice_lines on invoice_id = id group by id having total_nano <> coalesce(sum(amount_nano), 0)`,
  },
  {
    what: 'an invoice posted what its lines say',
    sql: `
select account_id, lines.amount as expected, coalesce(posted.amount, 0) as found
from (
  select account_id, 'invoice:' || id || ':demand' as reference, total_nano as amount from invoices
  union all
  select account_id, 'invoice:' || id || posted_as, -sum(amount_nano)
  from invoices join (
    select *, case kind when 'allowance' then ':allowance' when 'rounding' then ':rounding' else ':fees' end as posted_as
    from invoice_lines where kind in ('plan', 'proration', 'allowance', 'rounding')
  ) as line on invoice_id = id
  group by account_id, id, posted_as
) as lines
left join (
  select posting.account_id, reference, amount_nano as amount from ledger_postings as posting
  join ledger_entries on posting_id = posting.id and book = 'wallet' where reference is not null
) as posted using (account_id, reference)
where lines.amount <> coalesce(posted.amount, 0)`,
  },
  {
    what: 'no more usage is billed than was settled',
    sql: `
select account_id, coalesce(settled.amount, 0) as expected, billed.amount as found
from (
  select account_id, sum(amount_nano) as amount from invoices join invoice_lines on invoice_id = id
  where kind in ('usage', 'late_usage') group by account_id
) as billed left join (${settled}) as settled using (account_id)
where billed.amount > coalesce(settled.amount, 0)`,
  },
];

/**
 * Verifies that the ledger sums to zero posting by posting, that the balances equal the entries, and that settlements equal
 * the cost of the usage log and its roll-ups: day by day, as far back as the log is retained. Reads one snapshot, so that a
 * server may run meanwhile.
 */
export function verifyLedger(database: Database): Promise<LedgerReport> {
  return database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    await client.query("select set_config('statement_timeout', '0', true)");
    const faults: LedgerDiscrepancy[] = [];
    for (const check of checks) faults.push(...(await faultsOf(client, check)));
    const [totals] = await rows<{ postings: string; accounts: string; settled: string }>(
      client,
      `select (select count(*) from ledger_postings) as postings, count(*) as accounts, coalesce(sum(amount), 0) as settled from (${settled}) as settled`,
    );
    return {
      postings: Number(totals?.postings ?? 0),
      accounts: Number(totals?.accounts ?? 0),
      settledNano: BigInt(totals?.settled ?? 0),
      faults,
    };
  });
}

async function faultsOf(client: SqlClient, { what, sql }: Check): Promise<LedgerDiscrepancy[]> {
  const found = await rows<{ account_id: string | null; expected: string; found: string }>(
    client,
    `select account_id, expected, found from (${sql}) as differences limit ${MAX_DISCREPANCIES}`,
  );
  return found.map((row) => ({
    what,
    accountId: row.account_id,
    expectedNano: BigInt(row.expected),
    foundNano: BigInt(row.found),
  }));
}

async function rows<Row extends object>(client: SqlClient, text: string): Promise<Row[]> {
  const query = { text, query_timeout: MAX_DURATION_MS };
  return (await client.query<Row>(query)).rows;
}
