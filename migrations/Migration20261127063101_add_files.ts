import { Migration } from '@mikro-orm/migrations';

export class Migration20261127063101_add_files extends Migration {

  override name = 'Migration20261127063101_add_files';

  override up(): void | Promise<void> {
    this.addSql(`create table "files" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "blob_id" uuid not null, "filename" text not null, "purpose" text not null, "bytes" bigint not null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index files_by_expiry on files (expires_at);`);
    this.addSql(`create index files_by_account on files (account_id, created_at desc, id desc);`);

    this.addSql(`alter table "files" add constraint "files_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "files" cascade;`);
  }

}
