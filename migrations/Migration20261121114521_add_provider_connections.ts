import { Migration } from '@mikro-orm/migrations';

export class Migration20261121114521_add_provider_connections extends Migration {

  override name = 'Migration20261121114521_add_provider_connections';

  override up(): void | Promise<void> {
    this.addSql(`create table "connected_accounts" ("account_id" uuid not null, "revision" bigint not null, "changed_at" timestamptz(3) not null, primary key ("account_id"));`);
    this.addSql(`create index "connected_accounts_changed_at_index" on "connected_accounts" ("changed_at");`);

    this.addSql(`create table "provider_connections" ("id" uuid not null, "account_id" uuid not null, "provider" text not null, "name" text not null, "base_url" text null, "options" jsonb not null default '{}', "secret_option_names" text[] not null default '{}', "credential_hint" text null, "sealed_credentials" bytea null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "tested_at" timestamptz(3) null, "test_succeeded" boolean null, "test_message" text null, primary key ("id"));`);
    this.addSql(`alter table "provider_connections" add constraint "provider_connections_account_id_provider_unique" unique ("account_id", "provider");`);

    this.addSql(`alter table "connected_accounts" add constraint "connected_accounts_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "provider_connections" add constraint "provider_connections_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "connected_accounts" cascade;`);
    this.addSql(`drop table if exists "provider_connections" cascade;`);
  }

}
