import { Migration } from '@mikro-orm/migrations';

export class Migration20261128214632_add_usage_archives extends Migration {

  override name = 'Migration20261128214632_add_usage_archives';

  override up(): void | Promise<void> {
    this.addSql(`create table "usage_archives" ("month" timestamptz(3) not null, "location" text not null, "stored_before" timestamptz(3) null, "pending_before" timestamptz(3) null, "incomplete_accounts" int not null default 0, "parts" int not null default 0, "rows" bigint not null default 0, "cost_nano" bigint not null default 0, "bytes" bigint not null default 0, "archived_at" timestamptz(3) null, "holder" uuid null, "held_until" timestamptz(3) null, primary key ("month"));`);

    this.addSql(`create table "usage_archive_parts" ("month" timestamptz(3) not null, "number" int not null, "stored_before" timestamptz(3) not null, "rows" bigint not null, "cost_nano" bigint not null, "bytes" bigint not null, "sha256" text not null, "first_account_id" uuid not null, "last_account_id" uuid not null, "last_began_at" timestamptz(3) not null, "last_event_id" uuid not null, primary key ("month", "number"));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "usage_archives" cascade;`);
    this.addSql(`drop table if exists "usage_archive_parts" cascade;`);
  }

}
