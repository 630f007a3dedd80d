import { Migration } from '@mikro-orm/migrations';

export class Migration20261121180455_add_budgets extends Migration {

  override name = 'Migration20261121180455_add_budgets';

  override up(): void | Promise<void> {
    this.addSql(`create table "budgets" ("id" uuid not null, "account_id" uuid not null, "subject" text not null, "api_key_id" uuid null, "member_id" uuid null, "amount_nano" bigint not null, "period" text not null, "alert_at" smallint[] not null default '{80,100}', "created_at" timestamptz(3) not null default now(), "changed_at" timestamptz(3) not null default now(), "removed_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "budgets_changed_at_index" on "budgets" ("changed_at");`);
    this.addSql(`create unique index budgets_one_live on budgets (account_id, subject, coalesce(api_key_id, member_id, account_id)) where removed_at is null;`);

    this.addSql(`create table "budget_alerts" ("id" uuid not null, "budget_id" uuid not null, "period_start" timestamptz(3) not null, "percent" smallint not null, "amount_nano" bigint not null, "spent_nano" bigint not null, "created_at" timestamptz(3) not null default now(), "told_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "budget_alerts" add constraint "budget_alerts_budget_id_period_start_percent_unique" unique ("budget_id", "period_start", "percent");`);

    this.addSql(`alter table "api_keys" drop column "budget";`);

    this.addSql(`alter table "budgets" add constraint "budgets_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "budgets" add constraint "budgets_api_key_id_foreign" foreign key ("api_key_id") references "api_keys" ("id") on delete cascade;`);
    this.addSql(`alter table "budgets" add constraint "budgets_member_id_foreign" foreign key ("member_id") references "users" ("id") on delete cascade;`);
    this.addSql(`alter table "budgets" add constraint "budgets_amount_is_positive" check (amount_nano > 0);`);
    this.addSql(`alter table "budgets" add constraint "budgets_subject_is_named" check ((subject = 'key') = (api_key_id is not null) and (subject = 'member') = (member_id is not null));`);
    this.addSql(`alter table "budgets" add constraint "budgets_subject_check" check ("subject" in ('key', 'member', 'account'));`);
    this.addSql(`alter table "budgets" add constraint "budgets_period_check" check ("period" in ('DAY', 'WEEK', 'MONTH', 'TOTAL'));`);

    this.addSql(`alter table "budget_alerts" add constraint "budget_alerts_budget_id_foreign" foreign key ("budget_id") references "budgets" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "budget_alerts" drop constraint "budget_alerts_budget_id_foreign";`);

    this.addSql(`drop table if exists "budgets" cascade;`);
    this.addSql(`drop table if exists "budget_alerts" cascade;`);

    this.addSql(`alter table "api_keys" add "budget" jsonb null;`);
  }

}
