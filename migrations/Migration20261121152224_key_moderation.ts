import { Migration } from '@mikro-orm/migrations';

export class Migration20261121152224_key_moderation extends Migration {

  override name = 'Migration20261121152224_key_moderation';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_keys" add "moderation" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_keys" drop column "moderation";`);
  }

}
