import { Migration } from '@mikro-orm/migrations';

export class Migration20261121174928_add_plans extends Migration {

  override name = 'Migration20261121174928_add_plans';

  override up(): void | Promise<void> {
    this.addSql(`create table "plan_changes" ("id" uuid not null, "account_id" uuid not null, "from_plan" text not null, "to_plan" text not null, "from_fee_nano" bigint not null, "to_fee_nano" bigint not null, "effective_at" timestamptz(3) not null, "period_start" timestamptz(3) not null, "period_end" timestamptz(3) not null, "amount_nano" bigint not null, "changed_by_id" uuid null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "plan_changes_created_at_index" on "plan_changes" ("created_at");`);
    this.addSql(`create index "plan_changes_account_id_effective_at_index" on "plan_changes" ("account_id", "effective_at");`);

    this.addSql(`alter table "accounts" add "plan_since" timestamptz(3) not null default now(), add "pending_plan" text null, add "pending_plan_at" timestamptz(3) null;`);
    // Accounts that are there already have had their plan from the start.
    this.addSql(`update "accounts" set "plan_since" = "created_at";`);
    this.addSql(`create index accounts_pending_plan on accounts (pending_plan_at) where pending_plan_at is not null;`);

    this.addSql(`alter table "usage_logs" add "markup_ppm" int null;`);

    this.addSql(`alter table "videos" add "markup_ppm" int null, add "tags" jsonb null;`);

    this.addSql(`alter table "plan_changes" add constraint "plan_changes_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "plan_changes" add constraint "plan_changes_changed_by_id_foreign" foreign key ("changed_by_id") references "users" ("id") on delete set null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "plan_changes" cascade;`);

    this.addSql(`drop index "accounts_pending_plan";`);
    this.addSql(`alter table "accounts" drop column "plan_since", drop column "pending_plan", drop column "pending_plan_at";`);

    this.addSql(`alter table "usage_logs" drop column "markup_ppm";`);

    this.addSql(`alter table "videos" drop column "markup_ppm", drop column "tags";`);
  }

}
