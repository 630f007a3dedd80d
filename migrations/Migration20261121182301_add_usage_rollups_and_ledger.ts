import { Migration } from '@mikro-orm/migrations';

/** What is posted stays as it is: money is put right by another posting. */
const appendOnly = `
create function refuse_ledger_change() returns trigger language plpgsql as $body$
begin
  raise exception '% is append-only: post the opposite instead', tg_table_name using errcode = '55000';
end
$body$`;

/** All entries of a posting are written by one statement, and sum to zero. */
const balanced = `
create function refuse_unbalanced_posting() returns trigger language plpgsql as $body$
declare
  unbalanced bigint;
begin
  select posting_id into unbalanced from added group by posting_id having sum(amount_nano) <> 0 limit 1;
  if unbalanced is not null then
    raise exception 'the entries of posting % do not sum to zero', unbalanced using errcode = '55000';
  end if;
  return null;
end
$body$`;

/** A histogram: how many there are of each class. It begins at the first class that there is, and ends with the last. */
const countClasses = `
create function count_classes(classes int[]) returns int[] language plpgsql immutable parallel safe as $body$
declare
  counts int[] := '{}';
  class int;
begin
  foreach class in array classes loop
    if class is not null then
      counts[class] := coalesce(counts[class], 0) + 1;
    end if;
  end loop;
  return counts;
end
$body$`;

/** Adds two histograms, class by class. */
const addCounts = `
create function add_counts(counts int[], more int[]) returns int[] language plpgsql immutable parallel safe as $body$
begin
  for class in coalesce(array_lower(more, 1), 1) .. coalesce(array_upper(more, 1), 0) loop
    if more[class] is not null then
      counts[class] := coalesce(counts[class], 0) + more[class];
    end if;
  end loop;
  return counts;
end
$body$`;

/** Where the classes of durations end, in milliseconds. */
const bounds = [
  10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000,
  50000, 70000, 100000, 150000, 200000, 300000, 600000,
];
const nobody = "'00000000-0000-0000-0000-000000000000'::uuid";
const keys = 'account_id, by_key, span, bucket, api_key_id, member_id, capability, model, provider';
const figures =
  'requests, errors, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_nano, duration_ms, first_token_ms, durations, first_tokens';

function classCounts(column: string): string {
  return `count_classes(array_agg(width_bucket(${column}, '{${bounds.join(',')}}'::int[]) + 1))`;
}

/** Rolls up what was stored before there were roll-ups, as each batch is from now on. */
function rollUp(table: string, moreKeys: string, tags: string): string {
  const counted = [1, 2, 3, 4, 5, 6, 7, 8, 9, ...(moreKeys === '' ? [] : [10, 11])].join(', ');
  return `
insert into ${table} (${keys}${moreKeys}, ${figures})
select account_id, by_key, span, date_bin(span * interval '1 minute', began_at, '2000-01-01T00:00:00Z'),
  case when by_key then api_key_id else ${nobody} end, case when by_key then coalesce(member_id, ${nobody}) else ${nobody} end, capability, left(model, 256), provider${moreKeys},
  count(*), count(*) filter (where status in ('failed', 'interrupted')), sum(input_tokens), sum(output_tokens),
  sum(cached_tokens), sum(reasoning_tokens), sum(cost_nano), sum(duration_ms), coalesce(sum(first_token_ms), 0),
  ${classCounts('duration_ms')}, ${classCounts('first_token_ms')}
from usage_logs cross join (values (1440::smallint, true), (1440::smallint, false), (15::smallint, true), (15::smallint, false)) as levels(span, by_key)${tags}
group by ${counted}`;
}

/** One settlement an account for all that was stored before there was a ledger. */
const settleEarlierUsage = `
with costs as (select account_id, sum(cost_nano)::bigint as cost from usage_logs group by account_id having sum(cost_nano) <> 0),
posted as (insert into ledger_postings (account_id, kind) select account_id, 'settlement' from costs returning id, account_id),
sides as (
  select posted.id, account_id, side.book, side.amount
  from posted join costs using (account_id) cross join lateral (values ('wallet', -cost), ('usage', cost)) as side(book, amount)
),
entered as (insert into ledger_entries (posting_id, book, account_id, amount_nano) select id, book, account_id, amount from sides)
insert into ledger_balances (account_id, book, amount_nano) select account_id, book, amount from sides`;

export class Migration20261121182301_add_usage_rollups_and_ledger extends Migration {

  override name = 'Migration20261121182301_add_usage_rollups_and_ledger';

  override up(): void | Promise<void> {
    this.addSql(`create table "ledger_balances" ("account_id" uuid not null, "book" text not null, "amount_nano" bigint not null, primary key ("account_id", "book"));`);

    this.addSql(`create table "ledger_entries" ("posting_id" bigint not null, "book" text not null, "account_id" uuid not null, "amount_nano" bigint not null, primary key ("posting_id", "book"));`);

    this.addSql(`create table "ledger_postings" ("id" bigserial primary key, "account_id" uuid not null, "kind" text not null, "reference" text null, "description" text null, "created_at" timestamptz(3) not null default now());`);
    this.addSql(`create index ledger_postings_by_account on ledger_postings (account_id, id desc);`);
    this.addSql(`create unique index ledger_postings_by_reference on ledger_postings (account_id, reference) where reference is not null;`);

    this.addSql(`create table "usage_retention" ("account_id" uuid not null, "kept_from" timestamptz(3) not null, primary key ("account_id"));`);

    this.addSql(`create table "usage_rollups" ("account_id" uuid not null, "by_key" boolean not null, "span" smallint not null, "bucket" timestamptz(3) not null, "api_key_id" uuid not null, "member_id" uuid not null, "capability" text not null, "model" text not null, "provider" text not null, "requests" int not null, "errors" int not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cached_tokens" bigint not null, "reasoning_tokens" bigint not null, "cost_nano" bigint not null, "duration_ms" bigint not null, "first_token_ms" bigint not null, "durations" int[] not null, "first_tokens" int[] not null, primary key ("account_id", "by_key", "span", "bucket", "api_key_id", "member_id", "capability", "model", "provider"));`);

    this.addSql(`create table "usage_tag_rollups" ("account_id" uuid not null, "by_key" boolean not null, "span" smallint not null, "bucket" timestamptz(3) not null, "api_key_id" uuid not null, "member_id" uuid not null, "capability" text not null, "model" text not null, "provider" text not null, "tag_name" text not null, "tag_value" text not null, "requests" int not null, "errors" int not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cached_tokens" bigint not null, "reasoning_tokens" bigint not null, "cost_nano" bigint not null, "duration_ms" bigint not null, "first_token_ms" bigint not null, "durations" int[] not null, "first_tokens" int[] not null, primary key ("account_id", "by_key", "span", "bucket", "api_key_id", "member_id", "capability", "model", "provider", "tag_name", "tag_value"));`);

    // Rows are updated in place while their stretch of time lasts: room in the page spares the indexes a new entry.
    this.addSql(`alter table usage_rollups set (fillfactor = 80);`);
    this.addSql(`alter table usage_tag_rollups set (fillfactor = 80);`);
    this.addSql(`alter table ledger_balances set (fillfactor = 50);`);

    // An index takes rows of up to 2704 bytes.
    this.addSql(`update usage_logs set model = left(model, 256), end_user = left(end_user, 256) where length(model) > 256 or length(end_user) > 256;`);
    this.addSql(`drop index "usage_logs_by_account";`);
    this.addSql(`drop index "usage_logs_by_key";`);
    this.addSql(`create index usage_logs_by_account on usage_logs (account_id, began_at, event_id);`);
    this.addSql(`create index usage_logs_by_key on usage_logs (api_key_id, began_at, event_id);`);
    this.addSql(`create index usage_logs_by_tags on usage_logs using gin (tags jsonb_path_ops) where tags is not null;`);
    this.addSql(`create index usage_logs_by_end_user on usage_logs (account_id, end_user, began_at, event_id) where end_user is not null;`);
    this.addSql(`create index usage_logs_by_fault on usage_logs (account_id, status, began_at, event_id) where status <> 'succeeded';`);
    this.addSql(`create index usage_logs_by_provider on usage_logs (account_id, provider, began_at, event_id);`);
    this.addSql(`create index usage_logs_by_model on usage_logs (account_id, model, began_at, event_id);`);

    this.addSql(`alter table "ledger_balances" add constraint "ledger_balances_book_check" check (book in ('wallet', 'usage', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_entries" add constraint "ledger_entries_book_check" check (book in ('wallet', 'usage', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_postings" add constraint "ledger_postings_kind_check" check (kind in ('settlement', 'refund', 'grant', 'top_up', 'invoice', 'payment'));`);

    this.addSql(appendOnly);
    for (const table of ['ledger_postings', 'ledger_entries'])
      this.addSql(`create trigger append_only before update or delete or truncate on ${table} for each statement execute function refuse_ledger_change();`);
    this.addSql(balanced);
    this.addSql(`create trigger balanced after insert on ledger_entries referencing new table as added for each statement execute function refuse_unbalanced_posting();`);

    this.addSql(countClasses);
    this.addSql(addCounts);
    this.addSql(rollUp('usage_rollups', '', ''));
    this.addSql(rollUp('usage_tag_rollups', ', tag_name, tag_value', ` cross join lateral (select left(key, 64) as tag_name, left(value, 200) as tag_value from jsonb_each_text(case jsonb_typeof(tags) when 'object' then tags end)) as tag`));
    this.addSql(settleEarlierUsage);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "ledger_balances" cascade;`);
    this.addSql(`drop table if exists "ledger_entries" cascade;`);
    this.addSql(`drop table if exists "ledger_postings" cascade;`);
    this.addSql(`drop table if exists "usage_retention" cascade;`);
    this.addSql(`drop table if exists "usage_rollups" cascade;`);
    this.addSql(`drop table if exists "usage_tag_rollups" cascade;`);

    this.addSql(`drop index "usage_logs_by_tags";`);
    this.addSql(`drop index "usage_logs_by_end_user";`);
    this.addSql(`drop index "usage_logs_by_fault";`);
    this.addSql(`drop index "usage_logs_by_provider";`);
    this.addSql(`drop index "usage_logs_by_model";`);
    this.addSql(`drop index "usage_logs_by_account";`);
    this.addSql(`drop index "usage_logs_by_key";`);
    this.addSql(`create index usage_logs_by_account on usage_logs (account_id, began_at desc, event_id desc);`);
    this.addSql(`create index usage_logs_by_key on usage_logs (api_key_id, began_at desc, event_id desc);`);
    this.addSql(`drop function refuse_ledger_change;`);
    this.addSql(`drop function count_classes;`);
    this.addSql(`drop function add_counts;`);
    this.addSql(`drop function refuse_unbalanced_posting;`);
  }

}
