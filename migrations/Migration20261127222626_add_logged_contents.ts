import { Migration } from '@mikro-orm/migrations';

export class Migration20261127222626_add_logged_contents extends Migration {

  override name = 'Migration20261127222626_add_logged_contents';

  override up(): void | Promise<void> {
    this.addSql(`create table "logged_contents" ("event_id" uuid not null, "account_id" uuid not null, "state" text not null, "level" text null, "segment_id" uuid null, "position" int null, "length" int null, "wrapped_key" bytea null, "redactions" jsonb null, primary key ("event_id"));`);
    this.addSql(`create index logged_contents_by_segment on logged_contents (segment_id) where segment_id is not null;`);
    this.addSql(`create index logged_contents_by_account on logged_contents (account_id, event_id);`);

    this.addSql(`alter table "logged_contents" add constraint "logged_contents_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "logged_contents" cascade;`);
  }

}
