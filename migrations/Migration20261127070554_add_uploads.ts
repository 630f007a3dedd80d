import { Migration } from '@mikro-orm/migrations';

export class Migration20261127070554_add_uploads extends Migration {

  override name = 'Migration20261127070554_add_uploads';

  override up(): void | Promise<void> {
    this.addSql(`create table "uploads" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "filename" text not null, "purpose" text not null, "bytes" bigint not null, "status" text not null default 'pending', "file_seconds" int null, "created_at" timestamptz(3) not null default now(), "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "uploads_account_id_index" on "uploads" ("account_id");`);
    this.addSql(`create index "uploads_expires_at_index" on "uploads" ("expires_at");`);

    this.addSql(`create table "upload_parts" ("id" uuid not null, "account_id" uuid not null, "upload_id" uuid not null, "blob_id" uuid not null, "bytes" bigint not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "upload_parts_account_id_index" on "upload_parts" ("account_id");`);
    this.addSql(`create index "upload_parts_upload_id_index" on "upload_parts" ("upload_id");`);

    this.addSql(`alter table "uploads" add constraint "uploads_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "upload_parts" add constraint "upload_parts_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "upload_parts" add constraint "upload_parts_upload_id_foreign" foreign key ("upload_id") references "uploads" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "upload_parts" drop constraint "upload_parts_upload_id_foreign";`);

    this.addSql(`drop table if exists "uploads" cascade;`);
    this.addSql(`drop table if exists "upload_parts" cascade;`);
  }

}
