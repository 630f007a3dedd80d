import { Migration } from '@mikro-orm/migrations';

export class Migration20261128023537_key_provider_objects_by_key extends Migration {

  override name = 'Migration20261128023537_key_provider_objects_by_key';

  override up(): void | Promise<void> {
    // The index is built before the table is locked: objects can be found meanwhile, and new ones wait in memory.
    this.addSql(`create unique index "provider_objects_by_key" on "provider_objects" ("account_id", "object_id", "connection_id", "api_key_id");`);
    this.addSql(`alter table "provider_objects" drop constraint "provider_objects_pkey", add constraint "provider_objects_pkey" primary key using index "provider_objects_by_key";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`delete from "provider_objects" as later using "provider_objects" as first where (later.account_id, later.object_id, later.connection_id) = (first.account_id, first.object_id, first.connection_id) and (later.created_at, later.api_key_id) > (first.created_at, first.api_key_id);`);
    this.addSql(`alter table "provider_objects" drop constraint "provider_objects_pkey";`);
    this.addSql(`alter table "provider_objects" add primary key ("account_id", "object_id", "connection_id");`);
  }

}
