import { Migration } from '@mikro-orm/migrations';

export class Migration20261128180251_add_blob_object_key extends Migration {

  override name = 'Migration20261128180251_add_blob_object_key';

  override up(): void | Promise<void> {
    this.addSql(`alter table "blobs" add "object_key" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "blobs" drop column "object_key";`);
  }

}
