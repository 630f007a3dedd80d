import { Migration } from '@mikro-orm/migrations';

export class Migration20261122041300_keep_what_was_billed extends Migration {

  override name = 'Migration20261122041300_keep_what_was_billed';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_deletions" ("id" uuid not null, "account_id" uuid not null, "deleted_at" timestamptz(3) not null, "restored_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "account_deletions_account_id_deleted_at_index" on "account_deletions" ("account_id", "deleted_at");`);

    this.addSql(`alter table "billing_marks" add "begun_with" jsonb null;`);
    this.addSql(`alter table "billing_marks" alter column "closed_until" drop not null;`);
    this.addSql(`alter table "billing_marks" alter column "cutoff_at" drop not null;`);

    this.addSql(`alter table "plan_changes" add "from_terms" jsonb null, add "to_terms" jsonb null;`);

    this.addSql(`alter table "budget_alerts" drop constraint "budget_alerts_budget_id_period_start_percent_unique";`);
    this.addSql(`alter table "budget_alerts" add constraint "budget_alerts_budget_id_period_start_percent_amount_nano_unique" unique ("budget_id", "period_start", "percent", "amount_nano");`);

    this.addSql(`alter table "account_deletions" add constraint "account_deletions_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    // The grace period has always been 30 days.
    this.addSql(`insert into account_deletions (id, account_id, deleted_at) select gen_random_uuid(), id, erased_after - interval '30 days' from accounts where erased_after is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "account_deletions" cascade;`);

    this.addSql(`alter table "billing_marks" drop column "begun_with";`);
    this.addSql(`delete from billing_marks where closed_until is null;`);
    this.addSql(`alter table "billing_marks" alter column "closed_until" set not null;`);
    this.addSql(`alter table "billing_marks" alter column "cutoff_at" set not null;`);

    this.addSql(`alter table "budget_alerts" drop constraint "budget_alerts_budget_id_period_start_percent_amount_nano_unique";`);
    this.addSql(`delete from budget_alerts as later using budget_alerts as first where (later.budget_id, later.period_start, later.percent) = (first.budget_id, first.period_start, first.percent) and later.id > first.id;`);
    this.addSql(`alter table "budget_alerts" add constraint "budget_alerts_budget_id_period_start_percent_unique" unique ("budget_id", "period_start", "percent");`);

    this.addSql(`alter table "plan_changes" drop column "from_terms", drop column "to_terms";`);
  }

}
