import { Migration } from '@mikro-orm/migrations';

export class Migration20261121120142_add_account_routes extends Migration {

  override name = 'Migration20261121120142_add_account_routes';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_routes" ("id" uuid not null, "account_id" uuid not null, "name" text not null, "settings" jsonb not null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`alter table "account_routes" add constraint "account_routes_account_id_name_unique" unique ("account_id", "name");`);

    this.addSql(`alter table "account_routes" add constraint "account_routes_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "account_routes" cascade;`);
  }

}
