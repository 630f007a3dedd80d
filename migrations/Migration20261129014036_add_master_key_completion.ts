import { Migration } from '@mikro-orm/migrations';

export class Migration20261129014036_add_master_key_completion extends Migration {

  override name = 'Migration20261129014036_add_master_key_completion';

  override up(): void | Promise<void> {
    this.addSql(`alter table "master_key_versions" add "completed_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "master_key_versions" drop column "completed_at";`);
  }

}
