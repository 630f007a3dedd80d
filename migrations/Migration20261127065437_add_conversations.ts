import { Migration } from '@mikro-orm/migrations';

export class Migration20261127065437_add_conversations extends Migration {

  override name = 'Migration20261127065437_add_conversations';

  override up(): void | Promise<void> {
    this.addSql(`create table "conversations" ("id" uuid not null, "account_id" uuid not null, "api_key_id" uuid not null, "metadata" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "conversations_account_id_index" on "conversations" ("account_id");`);

    this.addSql(`create table "conversation_items" ("conversation_id" uuid not null, "item_id" text not null, "account_id" uuid not null, "position" int not null, "item" jsonb not null, primary key ("conversation_id", "item_id"));`);
    this.addSql(`create index "conversation_items_account_id_index" on "conversation_items" ("account_id");`);
    this.addSql(`create unique index conversation_items_by_position on conversation_items (conversation_id, position);`);

    this.addSql(`alter table "conversations" add constraint "conversations_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "conversation_items" add constraint "conversation_items_conversation_id_foreign" foreign key ("conversation_id") references "conversations" ("id") on delete cascade;`);
    this.addSql(`alter table "conversation_items" add constraint "conversation_items_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "conversation_items" drop constraint "conversation_items_conversation_id_foreign";`);

    this.addSql(`drop table if exists "conversations" cascade;`);
    this.addSql(`drop table if exists "conversation_items" cascade;`);
  }

}
