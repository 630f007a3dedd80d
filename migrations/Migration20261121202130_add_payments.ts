import { Migration } from '@mikro-orm/migrations';

export class Migration20261121202130_add_payments extends Migration {

  override name = 'Migration20261121202130_add_payments';

  override up(): void | Promise<void> {
    this.addSql(`create table "payment_customers" ("account_id" uuid not null, "customer_id" text not null, "subscription_id" text null, "ended_subscription_id" text null, primary key ("account_id"));`);
    this.addSql(`alter table "payment_customers" add constraint "payment_customers_customer_id_unique" unique ("customer_id");`);

    this.addSql(`create table "payment_events" ("id" text not null, "type" text not null, "received_at" timestamptz(3) not null default now(), primary key ("id"));`);

    this.addSql(`alter table "invoices" add "mailed_at" timestamptz(3) null, add "collected_at" timestamptz(3) null;`);
    this.addSql(`create index invoices_to_tell on invoices (created_at) where status = 'open' and (mailed_at is null or collected_at is null);`);

    this.addSql(`alter table "invoice_lines" drop constraint "invoice_lines_kind_check";`);
    this.addSql(`alter table "invoice_lines" add constraint "invoice_lines_kind_check" check (kind in ('plan', 'proration', 'usage', 'late_usage', 'allowance', 'credit', 'rounding'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "payment_customers" cascade;`);
    this.addSql(`drop table if exists "payment_events" cascade;`);

    this.addSql(`alter table "invoice_lines" drop constraint "invoice_lines_kind_check";`);
    this.addSql(`alter table "invoice_lines" add constraint "invoice_lines_kind_check" check (kind in ('plan', 'proration', 'usage', 'late_usage', 'allowance', 'credit'));`);

    this.addSql(`drop index "invoices_to_tell";`);
    this.addSql(`alter table "invoices" drop column "mailed_at", drop column "collected_at";`);
  }

}
