import { Migration } from '@mikro-orm/migrations';

export class Migration20261121184953_add_invoices extends Migration {

  override name = 'Migration20261121184953_add_invoices';

  override up(): void | Promise<void> {
    this.addSql(`create table "billing_marks" ("account_id" uuid not null, "closed_until" timestamptz(3) not null, "cutoff_at" timestamptz(3) not null, primary key ("account_id"));`);

    this.addSql(`create table "invoices" ("id" uuid not null, "account_id" uuid not null, "number" text not null, "account_name" text not null, "time_zone" text not null, "period_start" timestamptz(3) not null, "period_end" timestamptz(3) not null, "plan_id" text not null, "plan_name" text not null, "currency" text not null default 'USD', "status" text not null default 'open', "total_nano" bigint not null, "cutoff_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) not null, "paid_at" timestamptz(3) null, "payment_reference" text null, primary key ("id"));`);
    this.addSql(`alter table "invoices" add constraint "invoices_number_unique" unique ("number");`);
    this.addSql(`alter table "invoices" add constraint "invoices_account_id_period_start_unique" unique ("account_id", "period_start");`);

    this.addSql(`create table "invoice_lines" ("invoice_id" uuid not null, "position" int not null, "kind" text not null, "description" text not null, "model" text null, "capability" text null, "unit" text null, "quantity" numeric null, "amount_nano" bigint not null, primary key ("invoice_id", "position"));`);

    this.addSql(`alter table "ledger_balances" drop constraint "ledger_balances_book_check";`);
    this.addSql(`alter table "ledger_balances" add constraint "ledger_balances_book_check" check (book in ('wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_entries" drop constraint "ledger_entries_book_check";`);
    this.addSql(`alter table "ledger_entries" add constraint "ledger_entries_book_check" check (book in ('wallet', 'usage', 'fees', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_postings" drop constraint "ledger_postings_kind_check";`);
    this.addSql(`alter table "ledger_postings" add constraint "ledger_postings_kind_check" check (kind in ('settlement', 'refund', 'grant', 'top_up', 'fee', 'fee_refund', 'invoice', 'invoice_void', 'payment'));`);

    this.addSql(`create index usage_logs_by_settling on usage_logs using brin (settled_at);`);

    this.addSql(`alter table "invoices" add constraint "invoices_status_check" check (status in ('open', 'paid', 'void'));`);

    this.addSql(`alter table "invoice_lines" add constraint "invoice_lines_invoice_id_foreign" foreign key ("invoice_id") references "invoices" ("id") on delete cascade;`);
    this.addSql(`alter table "invoice_lines" add constraint "invoice_lines_kind_check" check (kind in ('plan', 'proration', 'usage', 'late_usage', 'allowance', 'credit'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "invoice_lines" drop constraint "invoice_lines_invoice_id_foreign";`);

    this.addSql(`drop table if exists "billing_marks" cascade;`);
    this.addSql(`drop table if exists "invoices" cascade;`);
    this.addSql(`drop table if exists "invoice_lines" cascade;`);

    this.addSql(`alter table "ledger_balances" drop constraint "ledger_balances_book_check";`);
    this.addSql(`alter table "ledger_balances" add constraint "ledger_balances_book_check" check (book in ('wallet', 'usage', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_entries" drop constraint "ledger_entries_book_check";`);
    this.addSql(`alter table "ledger_entries" add constraint "ledger_entries_book_check" check (book in ('wallet', 'usage', 'grants', 'receivable', 'cash'));`);

    this.addSql(`alter table "ledger_postings" drop constraint "ledger_postings_kind_check";`);
    this.addSql(`alter table "ledger_postings" add constraint "ledger_postings_kind_check" check (kind in ('settlement', 'refund', 'grant', 'top_up', 'invoice', 'payment'));`);

    this.addSql(`drop index "usage_logs_by_settling";`);
  }

}
