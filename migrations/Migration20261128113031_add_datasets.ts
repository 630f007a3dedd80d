import { Migration } from '@mikro-orm/migrations';

export class Migration20261128113031_add_datasets extends Migration {

  override name = 'Migration20261128113031_add_datasets';

  override up(): void | Promise<void> {
    this.addSql(`create table "datasets" ("id" uuid not null, "account_id" uuid not null, "name" text not null, "next_position" int not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index datasets_by_account on datasets (account_id, created_at desc, id desc);`);

    this.addSql(`create table "dataset_items" ("id" uuid not null, "account_id" uuid not null, "dataset_id" uuid not null, "position" int not null, "event_id" uuid not null, "bytes" int not null, "content" bytea not null, "wrapped_key" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index dataset_items_by_account on dataset_items (account_id);`);
    this.addSql(`create unique index dataset_items_by_request on dataset_items (dataset_id, event_id);`);
    this.addSql(`create unique index dataset_items_by_dataset on dataset_items (dataset_id, position);`);

    this.addSql(`alter table "datasets" add constraint "datasets_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "dataset_items" add constraint "dataset_items_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "dataset_items" add constraint "dataset_items_dataset_id_foreign" foreign key ("dataset_id") references "datasets" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "dataset_items" drop constraint "dataset_items_dataset_id_foreign";`);

    this.addSql(`drop table if exists "datasets" cascade;`);
    this.addSql(`drop table if exists "dataset_items" cascade;`);
  }

}
