import { Migration } from '@mikro-orm/migrations';

export class Migration20261126155903_add_provider_objects extends Migration {

  override name = 'Migration20261126155903_add_provider_objects';

  override up(): void | Promise<void> {
    this.addSql(`create table "provider_objects" ("account_id" uuid not null, "object_id" text not null, "connection_id" text not null, "api_key_id" uuid not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("account_id", "object_id", "connection_id"));`);
    this.addSql(`create index provider_objects_by_expiry on provider_objects (expires_at);`);

    this.addSql(`alter table "provider_objects" add constraint "provider_objects_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "provider_objects" cascade;`);
  }

}
