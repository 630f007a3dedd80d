import { Migration } from '@mikro-orm/migrations';

export class Migration20261124112739_add_access_tokens extends Migration {

  override name = 'Migration20261124112739_add_access_tokens';

  override up(): void | Promise<void> {
    this.addSql(`create table "access_tokens" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "scopes" text[] not null, "created_by_id" uuid null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "access_tokens_expires_at_index" on "access_tokens" ("expires_at");`);
    this.addSql(`create index access_tokens_revoked on access_tokens (revoked_at) where revoked_at is not null;`);
    this.addSql(`create index "access_tokens_account_id_created_at_id_index" on "access_tokens" ("account_id", "created_at", "id");`);
    this.addSql(`create index "access_tokens_api_key_id_created_at_id_index" on "access_tokens" ("api_key_id", "created_at", "id");`);

    this.addSql(`alter table "access_tokens" add constraint "access_tokens_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "access_tokens" add constraint "access_tokens_api_key_id_foreign" foreign key ("api_key_id") references "api_keys" ("id") on delete cascade;`);
    this.addSql(`alter table "access_tokens" add constraint "access_tokens_created_by_id_foreign" foreign key ("created_by_id") references "users" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "access_tokens" cascade;`);
  }

}
