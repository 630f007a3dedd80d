import { Migration } from '@mikro-orm/migrations';

export class Migration20261128021238_add_logged_texts extends Migration {

  override name = 'Migration20261128021238_add_logged_texts';

  override up(): void | Promise<void> {
    this.addSql(`create table "logged_texts" ("account_id" uuid not null, "event_id" uuid not null, "document" tsvector not null, primary key ("account_id", "event_id"));`);
    this.addSql(`create index logged_texts_by_document on logged_texts using gin (document);`);
    this.addSql(`create index logged_texts_by_content on logged_texts (event_id);`);

    this.addSql(`alter table "accounts" add "content_search" boolean not null default false;`);

    this.addSql(`alter table "logged_texts" add constraint "logged_texts_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "logged_texts" add constraint "logged_texts_event_id_foreign" foreign key ("event_id") references "logged_contents" ("event_id") on update cascade on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "logged_texts" cascade;`);

    this.addSql(`alter table "accounts" drop column "content_search";`);
  }

}
