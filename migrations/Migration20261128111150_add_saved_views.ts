import { Migration } from '@mikro-orm/migrations';

export class Migration20261128111150_add_saved_views extends Migration {

  override name = 'Migration20261128111150_add_saved_views';

  override up(): void | Promise<void> {
    this.addSql(`create table "saved_views" ("id" uuid not null, "account_id" uuid not null, "owner_id" uuid not null, "name" text not null, "page" text not null, "search" text not null, "is_shared" boolean not null default false, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "saved_views_account_id_index" on "saved_views" ("account_id");`);
    this.addSql(`create index "saved_views_owner_id_index" on "saved_views" ("owner_id");`);

    this.addSql(`alter table "saved_views" add constraint "saved_views_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "saved_views" add constraint "saved_views_owner_id_foreign" foreign key ("owner_id") references "users" ("id") on delete cascade;`);
    this.addSql(`alter table "saved_views" add constraint "saved_views_page_check" check ("page" in ('analytics', 'usage_logs'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "saved_views" cascade;`);
  }

}
